#include "daemon/replay/run_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/replay/replay_report.h"
#include "daemon/replay/score_columns.h"
#include "daemon/replay/scoring_talk.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::size_t kShownDifferences = 20;
constexpr std::size_t kNameWidth = 18;

std::string score_cell(const std::optional<double>& value) {
  std::array<char, 64> text{};
  if (value) {
    std::snprintf(text.data(), text.size(), "%10.3f", *value);
  } else {
    std::snprintf(text.data(), text.size(), "%10s", "-");
  }
  return text.data();
}

std::string wide(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string described(const RecordedRun& run) {
  std::string text = run.name;
  for (const std::string& part : {run.model, run.policy}) {
    text += part.empty() ? "" : ", " + part;
  }
  return text;
}

std::string row(const std::string& name, const std::optional<double>& a,
                const std::optional<double>& b) {
  const auto difference = a && b ? std::optional(*b - *a) : std::nullopt;
  return wide(name, kNameWidth) + score_cell(a) + score_cell(b) + score_cell(difference) + "\n";
}

std::string verdict(const RunComparison& comparison) {
  const std::size_t words = comparison.count(&SentenceDifference::words);
  const std::size_t actions = comparison.count(&SentenceDifference::actions);
  const std::string all = counted(comparison.sentences, "sentence");
  std::string text = words == 0
                         ? "The words are the same in all of " + all + "."
                         : "The words differ in " + std::to_string(words) + " of " + all + ".";
  if (actions > 0) {
    text += " In " + std::to_string(actions) +
            ", the same words were written after different source words.";
  }
  const std::size_t sources = comparison.count(&SentenceDifference::source);
  if (sources > 0) {
    text += " In " + std::to_string(sources) + ", the source words differ.";
  }
  return text + "\n";
}

std::string shown(const SentenceDifference& difference) {
  std::string text =
      "\nsentence " + std::to_string(difference.sentence) + ": " + difference.a.source + "\n";
  if (difference.source) {
    text += "  source of B: " + difference.b.source + "\n";
  }
  text += "  A  " + difference.a.target + "   AL" + score_cell(word_scores(difference.a).al) + "\n";
  return text + "  B  " + difference.b.target + "   AL" + score_cell(word_scores(difference.b).al) +
         "\n";
}

std::string scores_json(const LatencyScores& scores) {
  JsonWriter json;
  for (const ScoreColumn& shown : kScoreColumns) {
    json.field(shown.key, scores.*shown.counted);
  }
  return json.finish();
}

std::string compared_json(const RecordedSentence& sentence) {
  return JsonWriter()
      .field("target", sentence.target)
      .raw_field("delays", json_array(sentence.delays))
      .raw_field("metrics", scores_json(word_scores(sentence)))
      .finish();
}

std::string to_json(const SentenceDifference& difference) {
  return JsonWriter()
      .field("sentence", static_cast<std::int64_t>(difference.sentence))
      .field("source", difference.a.source)
      .field("other_source", difference.source)
      .field("other_words", difference.words)
      .field("other_actions", difference.actions)
      .raw_field("a", compared_json(difference.a))
      .raw_field("b", compared_json(difference.b))
      .finish();
}

}  // namespace

std::size_t RunComparison::count(bool SentenceDifference::*kind) const {
  return static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(),
                    [kind](const SentenceDifference& difference) { return difference.*kind; }));
}

RunComparison compare(const RecordedRun& a, const RecordedRun& b) {
  RunComparison comparison{&a, &b};
  const std::array<const RecordedRun*, 2> both{&a, &b};
  for (RunRow& row : align(both)) {
    SentenceDifference difference{comparison.sentences++};
    difference.a = std::move(row[0]);
    difference.b = std::move(row[1]);
    difference.source = split_words(difference.a.source) != split_words(difference.b.source);
    difference.words = split_words(difference.a.target) != split_words(difference.b.target);
    difference.actions = !difference.words && !difference.a.delays.empty() &&
                         !difference.b.delays.empty() && difference.a.delays != difference.b.delays;
    if (difference.source || difference.words || difference.actions) {
      comparison.differences.push_back(std::move(difference));
    }
  }
  return comparison;
}

std::string to_table(const RunComparison& comparison) {
  const RecordedRun& a = *comparison.a;
  const RecordedRun& b = *comparison.b;
  std::string table = "A  " + described(a) + "\nB  " + described(b) + "\n" + verdict(comparison);
  for (std::size_t i = 0; i < std::min(comparison.differences.size(), kShownDifferences); ++i) {
    table += shown(comparison.differences[i]);
  }
  if (comparison.differences.size() > kShownDifferences) {
    table += "\n... and " + std::to_string(comparison.differences.size() - kShownDifferences) +
             " more; --json and --report list all of them\n";
  }
  table += "\n" + wide("", kNameWidth) + "         A         B       B-A\n";
  const LatencyScores scores_a = word_scores(a);
  const LatencyScores scores_b = word_scores(b);
  for (const ScoreColumn& shown : kScoreColumns) {
    table += row(shown.name, scores_a.*shown.counted, scores_b.*shown.counted);
  }
  const std::vector<float> delays_a = a.delays_ms();
  const std::vector<float> delays_b = b.delays_ms();
  for (const int percent : kPercents) {
    table += row("write delay p" + std::to_string(percent), percentile(delays_a, percent / 100.0),
                 percentile(delays_b, percent / 100.0));
  }
  return table;
}

std::string to_json(const RunComparison& comparison) {
  return JsonWriter()
      .raw_field("a", to_json(*comparison.a))
      .raw_field("b", to_json(*comparison.b))
      .field("sentences", static_cast<std::int64_t>(comparison.sentences))
      .field("same_words", comparison.same_words())
      .raw_field("differences",
                 json_array(comparison.differences,
                            [](const SentenceDifference& one) { return to_json(one); }))
      .finish();
}

std::string to_table(std::span<const RecordedRun> runs) {
  std::size_t width = kNameWidth;
  for (const RecordedRun& run : runs) {
    width = std::max(width, described(run).size() + 1);
  }
  std::string table = wide("", width) + " sentences";
  for (const ScoreColumn& shown : kScoreColumns) {
    table += std::string(10 - std::string_view(shown.name).size(), ' ') + shown.name;
  }
  table += "    p50 ms    p95 ms    p99 ms";
  const auto judged = std::find_if(runs.begin(), runs.end(),
                                   [](const RecordedRun& run) { return run.quality.has_value(); });
  if (judged != runs.end()) {
    const std::string& name = judged->quality->name;
    table += std::string(10 - std::min<std::size_t>(name.size(), 9), ' ') + name;
  }
  table += "\n";
  for (const RecordedRun& run : runs) {
    const std::string sentences = std::to_string(run.sentences.size());
    table += wide(described(run), width) +
             std::string(10 - std::min<std::size_t>(10, sentences.size()), ' ') + sentences;
    const LatencyScores scores = word_scores(run);
    for (const ScoreColumn& shown : kScoreColumns) {
      table += score_cell(scores.*shown.counted);
    }
    const std::vector<float> delays = run.delays_ms();
    for (const int percent : kPercents) {
      table += score_cell(percentile(delays, percent / 100.0));
    }
    if (judged != runs.end()) {
      table += score_cell(run.quality ? std::optional(run.quality->value) : std::nullopt);
    }
    table += "\n";
  }
  return table;
}

std::string to_json(const RecordedRun& run) {
  JsonWriter json;
  json.field("name", run.name)
      .field("model", run.model)
      .field("policy", run.policy)
      .field("sentences", static_cast<std::int64_t>(run.sentences.size()));
  const LatencyScores scores = word_scores(run);
  for (const ScoreColumn& shown : kScoreColumns) {
    json.field(shown.key, rounded(scores.*shown.counted));
  }
  const std::vector<float> delays = run.delays_ms();
  JsonWriter delay;
  for (const int percent : kPercents) {
    delay.field("p" + std::to_string(percent), rounded(percentile(delays, percent / 100.0)));
  }
  json.raw_field("delay_ms", delay.finish());
  if (const std::optional<TimeScores> times = time_scores(run)) {
    json.raw_field("ms", to_json(*times));
  }
  if (run.quality) {
    json.field(run.quality->name == "BLEU" ? "bleu" : "agreement", run.quality->value);
  }
  return json.finish();
}

}  // namespace surtitle
