#include "daemon/replay/scoring_talk.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "daemon/base/json_writer.h"
#include "daemon/replay/replay_report.h"
#include "metrics/text.h"

namespace surtitle {
namespace {

struct TimeMetric {
  const char* key;   // in JSON
  const char* name;  // in tables
  std::optional<double> LatencyScores::*value;
};
constexpr std::array<TimeMetric, 5> kTimeMetrics{{
    {"al", "AL", &LatencyScores::al},
    {"laal", "LAAL", &LatencyScores::laal},
    {"dal", "DAL", &LatencyScores::dal},
    {"yaal", "YAAL", &LatencyScores::yaal},
    {"long_yaal", "LongYAAL", &LatencyScores::long_yaal},
}};

std::string cell(const std::optional<double>& value) {
  std::array<char, 64> text{};
  if (value) {
    std::snprintf(text.data(), text.size(), "%12.1f", *value);
  } else {
    std::snprintf(text.data(), text.size(), "%12s", "-");
  }
  return text.data();
}

// The times of a run, from the begin of its first word on.
struct Timeline {
  std::vector<double> said;                  // of each source word
  std::vector<std::vector<double>> delays;   // of each sentence's target words
  std::vector<std::vector<double>> elapsed;  // of the same words
  std::vector<int> words;                    // of each sentence
};

bool has_times(const RecordedSentence& sentence) {
  const auto words = static_cast<std::size_t>(sentence.source_words());
  return sentence.said.size() == words && sentence.written.size() == sentence.delays.size() &&
         sentence.delays.size() == python_split(sentence.target).size() &&
         (words > 0 || sentence.delays.empty());
}

std::optional<Timeline> timeline_of(const RecordedRun& run, double word_ms) {
  if (run.sentences.empty() ||
      !std::all_of(run.sentences.begin(), run.sentences.end(), has_times)) {
    return std::nullopt;
  }
  Timeline timeline;
  double begin = 0;  // of the first word
  for (const RecordedSentence& sentence : run.sentences) {
    if (timeline.said.empty() && !sentence.said.empty()) {
      begin = sentence.said.front() - word_ms;
    }
    std::vector<double> delays;
    std::vector<double> elapsed;
    for (std::size_t i = 0; i < sentence.delays.size(); ++i) {
      const auto read = static_cast<std::size_t>(
          std::clamp<double>(sentence.delays[i], 1, static_cast<double>(sentence.said.size())));
      delays.push_back(sentence.said[read - 1] - begin);
      elapsed.push_back(std::max(sentence.written[i] - begin, delays.back()));
    }
    for (const double time : sentence.said) {
      timeline.said.push_back(time - begin);
    }
    timeline.delays.push_back(std::move(delays));
    timeline.elapsed.push_back(std::move(elapsed));
    timeline.words.push_back(static_cast<int>(sentence.said.size()));
  }
  return timeline;
}

// Returns the segments of these numbers of words.
std::vector<ReferenceSegment> segments_of(const Timeline& timeline, std::span<const int> words,
                                          double word_ms) {
  std::vector<ReferenceSegment> segments;
  std::size_t first = 0;
  double end = 0;  // of the segment before
  for (const int count : words) {
    const std::size_t next = first + static_cast<std::size_t>(count);
    ReferenceSegment segment{end, 0, {}};
    if (count > 0) {
      segment.begin = std::max(end, timeline.said[first] - word_ms);
      end = timeline.said[next - 1];
      segment.duration = end - segment.begin;
    }
    segments.push_back(std::move(segment));
    first = next;
  }
  return segments;
}

std::vector<double> from(double begin, std::vector<double> times) {
  for (double& time : times) {
    time -= begin;
  }
  return times;
}

}  // namespace

std::optional<ScoringTalk> scoring_talk(const RecordedRun& run, const std::string& name,
                                        double word_ms, std::span<const std::string> references,
                                        std::span<const int> words) {
  const std::optional<Timeline> timeline = timeline_of(run, word_ms);
  if (!timeline) {
    return std::nullopt;
  }
  ScoringTalk talk;
  talk.reference.name = name;
  talk.reference.segments = segments_of(
      *timeline, words.empty() ? std::span<const int>(timeline->words) : words, word_ms);
  for (std::size_t i = 0; i < std::min(references.size(), talk.reference.segments.size()); ++i) {
    talk.reference.segments[i].reference = std::string(python_strip(references[i]));
  }
  talk.translation.recording = name;
  for (std::size_t i = 0; i < run.sentences.size(); ++i) {
    for (std::size_t j = 0; j < timeline->delays[i].size(); ++j) {
      talk.translation.delays.push_back(timeline->delays[i][j]);
      talk.translation.elapsed.push_back(timeline->elapsed[i][j]);
    }
    const std::string& target = run.sentences[i].target;
    talk.translation.text += (talk.translation.text.empty() || target.empty() ? "" : " ") + target;
  }
  talk.source_length = timeline->said.empty() ? 0 : timeline->said.back();
  return talk;
}

std::optional<TimeScores> time_scores(const RecordedRun& run, double word_ms) {
  const std::optional<Timeline> timeline = timeline_of(run, word_ms);
  if (!timeline) {
    return std::nullopt;
  }
  const std::vector<ReferenceSegment> segments = segments_of(*timeline, timeline->words, word_ms);
  const double end = timeline->said.empty() ? 0 : timeline->said.back();
  std::vector<LatencyScores> ideal;
  std::vector<LatencyScores> aware;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double begin = segments[i].begin;
    const SourceSpan source(segments[i].duration, end - begin);
    ideal.push_back(latency(from(begin, timeline->delays[i]), source));
    aware.push_back(latency(from(begin, timeline->elapsed[i]), source));
  }
  TimeScores scores{mean(ideal), {}};
  if (timeline->elapsed != timeline->delays) {
    scores.aware = mean(aware);
  }
  return scores;
}

std::string time_table(const RecordedRun& run) {
  const std::optional<TimeScores> scores = time_scores(run);
  if (!scores) {
    return "";
  }
  std::string table = "\nin ms         " + run.name;
  table += scores->aware ? ", and computation aware\n" : "\n";
  for (const TimeMetric& metric : kTimeMetrics) {
    table += metric.name;
    table.append(12 - std::string_view(metric.name).size(), ' ');
    table += cell(scores->ideal.*metric.value);
    table += scores->aware ? cell((*scores->aware).*metric.value) : "";
    table += "\n";
  }
  return table;
}

std::string to_json(const TimeScores& scores) {
  JsonWriter json;
  for (const TimeMetric& metric : kTimeMetrics) {
    json.field(metric.key, rounded(scores.ideal.*metric.value));
  }
  for (const TimeMetric& metric : kTimeMetrics) {
    if (scores.aware) {
      json.field(std::string(metric.key) + "_ca", rounded((*scores.aware).*metric.value));
    }
  }
  return json.finish();
}

}  // namespace surtitle
