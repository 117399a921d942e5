#include "daemon/replay/scoring_talk.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <optional>

#include "daemon/base/json_writer.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/replay/replay_report.h"
#include "metrics/text.h"
#include "model/text/tokenizer.h"
#include "model/text/words.h"

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

void append(std::vector<double>& times, const std::vector<double>& more) {
  times.insert(times.end(), more.begin(), more.end());
}

void subtract(double begin, std::vector<double>& times) {
  for (double& time : times) {
    time -= begin;
  }
}

std::string cell(const std::optional<double>& value) {
  std::array<char, 64> text{};
  if (value) {
    std::snprintf(text.data(), text.size(), "%12.1f", *value);
  } else {
    std::snprintf(text.data(), text.size(), "%12s", "-");
  }
  return text.data();
}

// Words that arrive within this time of the word before arrive together.
constexpr double kTogetherMs = 10;
// A segment ends this much before its last word, so that a word at its end is at its end in all
// programs, however they round.
constexpr double kMarginMs = 0.01;
constexpr double kShortestMs = 1;  // of a segment: other programs divide by its duration

// The times of a run, from the begin of its first word on.
struct Timeline {
  std::vector<double> begins;                // of each source word
  std::vector<double> ends;                  // of each source word
  std::vector<std::vector<double>> delays;   // of each sentence's target words
  std::vector<std::vector<double>> elapsed;  // of the same words
  std::vector<int> words;                    // source words of each sentence
};

bool has_times(const RecordedSentence& sentence) {
  const auto words = static_cast<std::size_t>(sentence.source_words());
  const std::size_t written = split_words(sentence.target).size();
  return sentence.source_times.size() == words && sentence.written.size() == written &&
         sentence.due.size() == written;
}

// Adds the begins and ends of words that were said at these times.
void add_words(Timeline& timeline, std::span<const double> source_times, double word_ms) {
  for (std::size_t first = 0, next = 0; first < source_times.size(); first = next) {
    do {
      ++next;
    } while (next < source_times.size() &&
             source_times[next] - source_times[next - 1] < kTogetherMs);
    const double end = source_times[next - 1];
    const auto count = static_cast<double>(next - first);
    const double length =
        first == 0 ? word_ms : std::min(word_ms, (end - source_times[first - 1]) / count);
    for (std::size_t i = first; i < next; ++i) {
      timeline.begins.push_back(end - static_cast<double>(next - i) * length);
      timeline.ends.push_back(end - static_cast<double>(next - i - 1) * length);
    }
  }
}

std::optional<Timeline> timeline_of(const RecordedRun& run, double word_ms) {
  if (!std::all_of(run.sentences.begin(), run.sentences.end(), has_times)) {
    return std::nullopt;
  }
  Timeline timeline;
  std::vector<double> source_times;
  double due = 0;
  double written = 0;
  for (const RecordedSentence& sentence : run.sentences) {
    append(source_times, sentence.source_times);
    timeline.words.push_back(static_cast<int>(sentence.source_times.size()));
    std::vector<double>& delays = timeline.delays.emplace_back();
    std::vector<double>& elapsed = timeline.elapsed.emplace_back();
    for (std::size_t i = 0; i < sentence.due.size(); ++i) {
      due = std::max(due, sentence.due[i]);
      written = std::max({written, sentence.written[i], due});
      delays.push_back(due);
      elapsed.push_back(written);
    }
  }
  if (source_times.empty()) {
    return std::nullopt;
  }
  add_words(timeline, source_times, word_ms);
  const double begin = timeline.begins.front();
  subtract(begin, timeline.begins);
  subtract(begin, timeline.ends);
  for (std::size_t i = 0; i < timeline.delays.size(); ++i) {
    subtract(begin, timeline.delays[i]);
    subtract(begin, timeline.elapsed[i]);
  }
  return timeline;
}

// Returns the segments of these numbers of words.
std::vector<ReferenceSegment> segments_of(const Timeline& timeline, std::span<const int> words) {
  std::vector<ReferenceSegment> segments;
  std::size_t next = 0;
  double end = 0;  // of the segment before
  for (const int count : words) {
    double begin = end;
    if (count > 0) {
      begin = timeline.begins[next];
      next += static_cast<std::size_t>(count);
      end = timeline.ends[next - 1];
    }
    segments.push_back({begin, std::max(end - begin - kMarginMs, kShortestMs), {}});
  }
  return segments;
}

}  // namespace

std::optional<ScoringTalk> scoring_talk(const RecordedRun& run, const std::string& name,
                                        double word_ms, std::span<const std::string> references,
                                        std::span<const int> words) {
  const std::optional<Timeline> timeline = timeline_of(run, word_ms);
  if (timeline && words.empty()) {
    words = timeline->words;
  }
  if (!timeline || words.size() != references.size() ||
      std::accumulate(words.begin(), words.end(), std::size_t{0}) != timeline->begins.size()) {
    return std::nullopt;
  }
  ScoringTalk talk;
  talk.reference.name = name;
  talk.reference.segments = segments_of(*timeline, words);
  for (std::size_t i = 0; i < references.size(); ++i) {
    talk.reference.segments[i].reference = spaced_words(std::string(python_strip(references[i])));
  }
  RecordedTranslation& translation = talk.translation;
  translation.recording = name;
  for (std::size_t i = 0; i < run.sentences.size(); ++i) {
    translation.text += (translation.text.empty() || run.sentences[i].target.empty() ? "" : " ") +
                        spaced_words(run.sentences[i].target);
    append(translation.delays, timeline->delays[i]);
    append(translation.elapsed, timeline->elapsed[i]);
  }
  talk.source_length = timeline->ends.back();
  return talk;
}

std::optional<TimeScores> time_scores(const RecordedRun& run, double word_ms) {
  std::optional<Timeline> timeline = timeline_of(run, word_ms);
  if (!timeline) {
    return std::nullopt;
  }
  const std::vector<ReferenceSegment> segments = segments_of(*timeline, timeline->words);
  const double end = segments.back().begin + segments.back().duration;
  const bool is_aware = timeline->elapsed != timeline->delays;
  std::vector<LatencyScores> ideal;
  std::vector<LatencyScores> aware;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto& [begin, duration, reference] = segments[i];
    const SourceSpan source(duration, end - begin);
    subtract(begin, timeline->delays[i]);
    subtract(begin, timeline->elapsed[i]);
    std::optional<int> length;
    if (const auto& text = run.sentences[i].reference) {
      length = reference_length(*text);
    }
    ideal.push_back(latency(timeline->delays[i], source, length));
    aware.push_back(latency(timeline->elapsed[i], source, length));
  }
  return TimeScores{mean(ideal), is_aware ? std::optional(mean(aware)) : std::nullopt};
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
