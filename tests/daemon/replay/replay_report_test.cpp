#include "daemon/replay/replay_report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "daemon/replay/replay_stream.h"

namespace surtitle {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Percentile, IsTheSmallestValueThatTheShareDoesNotExceed) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<float> values(1 + random() % 120);
    for (float& value : values) {
      value = static_cast<float>(random() % 50);
    }
    std::sort(values.begin(), values.end());
    for (const int percent : {1, 50, 95, 99, 100}) {
      const double found = percentile(values, percent / 100.0).value();
      const auto up_to = [&](double limit, bool included) {
        return std::count_if(values.begin(), values.end(), [&](float value) {
          return included ? value <= limit : value < limit;
        });
      };
      const auto size = static_cast<std::ptrdiff_t>(values.size());
      ASSERT_GE(up_to(found, true) * 100, percent * size);
      ASSERT_LT(up_to(found, false) * 100, percent * size);
    }
  }
}

TEST(Percentile, OfNoValuesIsNullopt) { EXPECT_EQ(percentile({}, 0.5), std::nullopt); }

protocol::Sentence sentence(std::optional<double> al, std::optional<double> dal) {
  protocol::Sentence sentence;
  sentence.words.al = al;
  sentence.words.dal = dal;
  return sentence;
}

TEST(ReplayReport, SumsTheResultsOfItsStreams) {
  ReplayReport report(2);
  report.sent(3, 0.5F);
  report.sent(5, 0.5F);
  report.completed(sentence(1.0, 2.0), 4, std::vector<float>{3.0F, 1.0F});
  report.completed(sentence(2.0, std::nullopt), 3, std::vector<float>{2.0004F});
  report.error();
  report.overloaded();
  report.overloaded();
  report.lasted(4);
  EXPECT_EQ(
      report.to_json(),
      R"({"streams":2,"sentences":2,"words_in":8,"tokens_out":7,)"
      R"("delay_ms":{"p50":2,"p95":3,"p99":3},"al":1.5,"laal":null,)"
      R"("ap":null,"dal":2,"cw":null,"yaal":null,"long_yaal":null,"errors":1,"overloaded":2,"words_per_second":2})");
  EXPECT_THAT(report.to_json(R"({"al":400})"),
              EndsWith(R"("words_per_second":2,"ms":{"al":400}})"));
  EXPECT_THAT(report.to_table(), HasSubstr("write delay     p50 2.0   p95 3.0   p99 3.0 ms\n"));
  EXPECT_THAT(report.to_table(), HasSubstr("words in        8, 2.0 per second\n"));
  EXPECT_THAT(report.to_table(), HasSubstr("overloaded      2 times\nerrors          1\n"));
}

TEST(ReplayReport, HasNullIfNothingWasMeasured) {
  ReplayReport report(1);
  EXPECT_THAT(report.to_json(), HasSubstr(R"("delay_ms":{"p50":null,"p95":null,"p99":null})"));
  EXPECT_THAT(report.to_json(),
              HasSubstr(R"("al":null,"laal":null,"ap":null,"dal":null,"cw":null)"));
  EXPECT_THAT(report.to_table(), HasSubstr("AL              - words"));
  EXPECT_THAT(report.to_table(), Not(HasSubstr("overloaded")));
}

ReplayPlan plan_of(double length, std::optional<double> duration) {
  ReplayPlan plan;
  plan.transcript.length = length;
  plan.duration = duration;
  return plan;
}

// Returns the largest gap between neighbours within `period`, as a share of it.
double largest_gap(std::vector<double> times, double period) {
  for (double& time : times) {
    time = std::fmod(time, period);
  }
  std::sort(times.begin(), times.end());
  double largest = times.front() + period - times.back();
  for (std::size_t i = 1; i < times.size(); ++i) {
    largest = std::max(largest, times[i] - times[i - 1]);
  }
  return largest / period;
}

TEST(BeginOfStream, SpreadsStreamsOverTheLogAndOverTheTimeBetweenWords) {
  const ReplayPlan plan = plan_of(100, std::nullopt);
  for (const int streams : {10, 50, 1000}) {
    std::vector<double> begins;
    for (int i = 0; i < streams; ++i) {
      begins.push_back(stream_start(plan, i));
      EXPECT_GE(begins.back(), 0);
      EXPECT_LT(begins.back(), 10);
    }
    EXPECT_EQ(begins.front(), 0);
    EXPECT_LT(largest_gap(begins, 10.0), 3.0 / streams);
    EXPECT_LT(largest_gap(begins, 0.4), 4.0 / streams);
  }
}

TEST(BeginOfStream, StaysWithinAShortLogAndAShortDuration) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_LT(stream_start(plan_of(0.5, std::nullopt), i), 0.5);
    EXPECT_LT(stream_start(plan_of(100, 8.0), i), 2.0);
  }
}

// Returns a plan with ten sentences of four words, one word a second.
ReplayPlan plan_of_sentences() {
  ReplayPlan plan = plan_of(40, 120.0);
  for (int i = 0; i < 40; ++i) {
    plan.transcript.texts.push_back({static_cast<double>(i), i % 4 == 3 ? "Ende." : "Wort", 1});
  }
  return plan;
}

TEST(FirstTextOfStream, SpreadsRepeatedStreamsOverTheSentences) {
  const ReplayPlan plan = plan_of_sentences();
  EXPECT_EQ(first_text_of_stream(plan, 0), 0U);
  std::vector<int> streams(10);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t first = first_text_of_stream(plan, i);
    ASSERT_LT(first, 40U);
    ASSERT_EQ(first % 4, 0U) << "the beginning of a sentence";
    ++streams[first / 4];
  }
  for (const int of_sentence : streams) {
    EXPECT_NEAR(of_sentence, 100, 5);
  }
}

TEST(FirstTextOfStream, IsTheFirstIfTheLogIsReplayedOnceOrChanges) {
  ReplayPlan plan = plan_of_sentences();
  plan.transcript.texts[20].changes.emplace_back();
  EXPECT_EQ(first_text_of_stream(plan, 1), 0U);
  plan = plan_of_sentences();
  plan.duration.reset();
  EXPECT_EQ(first_text_of_stream(plan, 1), 0U);
}

TEST(FirstTextOfStream, OfOneSentenceIsItsFirst) {
  ReplayPlan plan = plan_of(2, 120.0);
  plan.transcript.texts = {{0, "zwei", 1}, {1, "Worte", 1}};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(first_text_of_stream(plan, i), 0U);
  }
}

TEST(PartOfStream, IsMeasuredWhileAllStreamsRun) {
  ReplayPlan plan = plan_of_sentences();
  const TimePoint begin{std::chrono::hours(1)};
  EXPECT_EQ(part_of_stream(plan, 1, begin).measured_from, TimePoint::min());
  EXPECT_EQ(part_of_stream(plan, 1, begin).measured_to, TimePoint::max());
  plan.warm_up = 20;
  for (const int stream : {0, 7}) {
    const ReplayPart part = part_of_stream(plan, stream, begin);
    EXPECT_EQ(part.begin, begin + to_duration(Seconds(stream_start(plan, stream))));
    EXPECT_EQ(part.measured_from, begin + std::chrono::seconds(20));
    EXPECT_EQ(part.measured_to, begin + std::chrono::seconds(120));
  }
}

}  // namespace
}  // namespace surtitle
