#include "daemon/replay/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/base/json_writer.h"
#include "daemon/replay/replay_report.h"
#include "daemon/replay/score_columns.h"
#include "metrics/bleu.h"

namespace surtitle {
namespace {

void add_scores(JsonWriter& json, const LatencyScores& scores) {
  for (const ScoreColumn& shown : kScoreColumns) {
    json.field(shown.key, scores.*shown.counted);
  }
}

// Rounds milliseconds to a tenth.
template <typename Numbers>
std::string times_json(const Numbers& times) {
  return json_array(times, [](double time) { return json_number(std::round(time * 10) / 10); });
}

std::string sentence_json(const RecordedSentence& sentence) {
  JsonWriter json;
  json.field("target", sentence.target)
      .raw_field("said", times_json(sentence.source_times))
      .raw_field("delays", json_array(sentence.delays))
      .raw_field("written", times_json(sentence.written));
  add_scores(json, word_scores(sentence));
  return json.finish();
}

std::string row_json(const RunRow& row) {
  const auto known = std::find_if(row.begin(), row.end(), [](const RecordedSentence& sentence) {
    return !sentence.source.empty();
  });
  return JsonWriter()
      .field("source", known == row.end() ? std::string() : known->source)
      .raw_field("runs", json_array(row, sentence_json))
      .finish();
}

std::string run_json(const RecordedRun& run) {
  JsonWriter json;
  json.field("name", run.name)
      .field("model", run.model)
      .field("policy", run.policy)
      .field("sentences", static_cast<std::int64_t>(run.sentences.size()))
      .field("quality", run.quality ? std::optional(run.quality->value) : std::nullopt);
  add_scores(json, word_scores(run));
  return json.raw_field("delays_ms", times_json(run.delays_ms())).finish();
}

}  // namespace

void score_quality(std::span<RecordedRun> runs, const QualityMeasure& measure) {
  for (RecordedRun& run : runs) {
    std::vector<std::string> translations;
    std::vector<std::string> references = measure.references;
    if (measure.reference_run) {
      const std::array<const RecordedRun*, 2> both{&run, &*measure.reference_run};
      for (const RunRow& row : align(both)) {
        translations.push_back(row[0].target);
        references.push_back(row[1].target);
      }
    } else {
      set_references(run, references);
      for (const RecordedSentence& sentence : run.sentences) {
        translations.push_back(sentence.target);
      }
    }
    if (!references.empty() && translations.size() == references.size()) {
      run.quality = {measure.name, corpus_bleu(translations, references).score};
    }
  }
}

std::string to_html(const ReportPage& page, const std::string& title,
                    std::span<const RecordedRun> runs, const QualityMeasure& measure) {
  std::vector<const RecordedRun*> all;
  for (const RecordedRun& run : runs) {
    all.push_back(&run);
  }
  JsonWriter data;
  data.field("title", title).raw_field("runs", json_array(runs, run_json));
  if (!measure.name.empty()) {
    data.raw_field("quality",
                   JsonWriter().field("name", measure.name).field("about", measure.about).finish());
  }
  data.raw_field("rows", json_array(align(all), row_json));
  return page.with(data.finish());
}

}  // namespace surtitle
