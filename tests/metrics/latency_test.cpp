#include "metrics/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

namespace surtitle {
namespace {

// The definitions of the papers, each with its own loop over g(1) .. g(I).
struct Definitions {
  std::vector<double> delays;
  double source = 0;  // J

  double g(int i) const { return i == 0 ? 0 : delays[static_cast<std::size_t>(i) - 1]; }
  int length() const { return static_cast<int>(delays.size()); }

  double al(double target) const {
    if (g(1) > source) {
      return g(1);
    }
    int tau = 1;
    while (tau < length() && g(tau) < source) {
      ++tau;
    }
    double sum = 0;
    for (int i = 1; i <= tau; ++i) {
      sum += g(i) - (i - 1) * source / target;
    }
    return sum / tau;
  }

  double ap(double target) const {
    double sum = 0;
    for (int i = 1; i <= length(); ++i) {
      sum += g(i);
    }
    return sum / (source * target);
  }

  // g'(i) without its recursion: the largest g(j) + (i - j) J / I over all j <= i.
  double dal() const {
    double sum = 0;
    for (int i = 1; i <= length(); ++i) {
      double paced = g(i);
      for (int j = 1; j < i; ++j) {
        paced = std::max(paced, g(j) + (i - j) * source / length());
      }
      sum += paced - (i - 1) * source / length();
    }
    return sum / length();
  }

  double atd() const {
    double sum = 0;
    for (int t = 1; t <= length(); ++t) {
      int first = t;  // of t's run
      while (first > 1 && g(first - 1) == g(t)) {
        --first;
      }
      const double before = first - 1;
      const double previous_delay = g(first - 1);
      double end = 0;
      for (int i = 1; i <= t; ++i) {
        end = std::max(g(i), end) + 1;
      }
      sum += end - std::min(t - std::max(0.0, before - previous_delay), g(t));
    }
    return sum / length();
  }

  // The mean over all g(i) < end.
  std::optional<double> yaal(double target, double end) const {
    double sum = 0;
    int count = 0;
    while (count < length() && g(count + 1) < end) {
      ++count;
      sum += g(count) - (count - 1) * source / std::max<double>(target, length());
    }
    return count == 0 ? std::nullopt : std::optional(sum / count);
  }

  double cw() const {
    double read = 0;
    int waits = 0;
    for (int i = 1; i <= length(); ++i) {
      read += g(i) - g(i - 1);
      waits += g(i) > g(i - 1) ? 1 : 0;
    }
    return read / waits;
  }
};

Definitions random_sentence(std::mt19937& random) {
  Definitions sentence;
  sentence.source = std::uniform_int_distribution<int>(1, 40)(random);
  const int length = std::uniform_int_distribution<int>(1, 45)(random);
  std::geometric_distribution<int> step(0.5);
  double delay = std::uniform_int_distribution<int>(0, 5)(random);
  for (int i = 0; i < length; ++i) {
    delay += step(random);
    sentence.delays.push_back(delay);
  }
  return sentence;
}

TEST(Latency, EveryPrefixOfRandomSentencesFollowsTheDefinitions) {
  std::mt19937 random(2022);
  for (int round = 0; round < 300; ++round) {
    const Definitions whole = random_sentence(random);
    const int reference = std::uniform_int_distribution<int>(1, 50)(random);
    LatencyMeter meter;
    Definitions prefix{{}, whole.source};
    for (const double delay : whole.delays) {
      meter.write(delay);
      prefix.delays.push_back(delay);
      const LatencyScores scores = meter.scores(whole.source, reference);
      const double written = prefix.length();
      ASSERT_EQ(meter.written(), prefix.length());
      ASSERT_NEAR(scores.al.value(), prefix.al(reference), 1e-9);
      ASSERT_NEAR(scores.laal.value(), prefix.al(std::max<double>(reference, written)), 1e-9);
      ASSERT_NEAR(scores.al_paper.value(), prefix.al(written), 1e-9);
      ASSERT_NEAR(scores.ap.value(), prefix.ap(reference), 1e-9);
      ASSERT_NEAR(scores.dal.value(), prefix.dal(), 1e-9);
      ASSERT_NEAR(scores.atd.value(), prefix.atd(), 1e-9);
      const double end = whole.source * 1.5;
      const LatencyScores in_recording = meter.scores({whole.source, end}, reference);
      for (const auto& [found, expected] :
           {std::pair(scores.yaal, prefix.yaal(reference, whole.source)),
            std::pair(scores.long_yaal, prefix.yaal(reference, 1e9)),
            std::pair(in_recording.yaal, prefix.yaal(reference, whole.source)),
            std::pair(in_recording.long_yaal, prefix.yaal(reference, end))}) {
        ASSERT_EQ(found.has_value(), expected.has_value());
        ASSERT_NEAR(found.value_or(0), expected.value_or(0), 1e-9);
      }
      ASSERT_EQ(scores.cw.has_value(), delay > 0);
      if (scores.cw) {
        ASSERT_NEAR(*scores.cw, prefix.cw(), 1e-9);
      }
      ASSERT_EQ(scores.start_offset, whole.delays.front());
      ASSERT_EQ(scores.end_offset, delay - whole.source);
      ASSERT_EQ(scores.num_chunks, written);
    }
  }
}

TEST(Latency, MeterEqualsBatchOnRandomSentences) {
  std::mt19937 random(7);
  LatencyMeter meter;
  for (int round = 0; round < 300; ++round) {
    const Definitions sentence = random_sentence(random);
    meter.reset();
    for (const double delay : sentence.delays) {
      meter.write(delay);
    }
    const LatencyScores live = meter.scores(sentence.source);
    const LatencyScores batch = latency(sentence.delays, sentence.source);
    for (const LatencyMetric& metric : kLatencyMetrics) {
      ASSERT_EQ(live.*metric.value, batch.*metric.value) << metric.name;
    }
  }
}

TEST(Latency, WithoutReferenceTheHypothesisLengthDivides) {
  const std::vector<double> delays = {3, 3, 4, 6, 6, 6, 6};
  const LatencyScores none = latency(delays, 6);
  const LatencyScores same = latency(delays, 6, 7);
  for (const LatencyMetric& metric : kLatencyMetrics) {
    EXPECT_EQ(none.*metric.value, same.*metric.value) << metric.name;
  }
  EXPECT_EQ(none.al, none.al_paper);
}

TEST(Latency, WithoutAnyWriteEveryMetricIsUndefined) {
  const LatencyScores scores = LatencyMeter().scores(5, 5);
  for (const LatencyMetric& metric : kLatencyMetrics) {
    EXPECT_FALSE((scores.*metric.value).has_value()) << metric.name;
  }
}

TEST(Latency, WithoutSourceOnlyWhatDoesNotDivideByItIsDefined) {
  const LatencyScores scores = latency(std::vector<double>{0, 0}, 0, 2);
  EXPECT_FALSE(scores.al || scores.laal || scores.ap || scores.dal || scores.cw || scores.al_paper);
  EXPECT_EQ(scores.start_offset, 0);
  EXPECT_EQ(scores.end_offset, 0);
  EXPECT_EQ(scores.num_chunks, 2);
  // The first delay beyond the source is AL itself, as in SimulEval.
  EXPECT_EQ(latency(std::vector<double>{1, 1}, 0, 2).al, 1);
}

TEST(Latency, WithAReferenceOfNothingAlAndApAreUndefined) {
  const LatencyScores scores = latency(std::vector<double>{1, 2}, 2, 0);
  EXPECT_FALSE(scores.al || scores.ap);
  EXPECT_EQ(scores.laal, 1);
}

TEST(Latency, SourceMayGrowBetweenScores) {
  LatencyMeter meter;
  meter.write(2);
  meter.write(3);
  EXPECT_EQ(meter.scores(3).end_offset, 0);
  EXPECT_EQ(meter.scores(5).end_offset, -2);
  EXPECT_EQ(meter.scores(3).al, latency(std::vector<double>{2, 3}, 3).al);
}

TEST(Latency, MeanSkipsSentencesWithoutTheMetric) {
  const std::vector<LatencyScores> scores = {
      latency(std::vector<double>{2}, 2), latency(std::vector<double>{}, 2),
      latency(std::vector<double>{0}, 1), latency(std::vector<double>{4}, 4)};
  const LatencyScores means = mean(scores);
  EXPECT_DOUBLE_EQ(means.al.value(), 2);  // 2, 0, 4
  EXPECT_DOUBLE_EQ(means.cw.value(), 3);  // 2, 4
  EXPECT_FALSE(mean({}).al.has_value());
}

}  // namespace
}  // namespace surtitle
