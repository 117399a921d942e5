#include "daemon/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/json_writer.h"
#include "daemon/replay_report.h"
#include "metrics/bleu.h"

namespace surtitle {
namespace {

void add_scores(JsonWriter& json, const LatencyScores& scores) {
  for (const ShownScore& shown : kShownScores) {
    json.field(shown.key, scores.*shown.value);
  }
}

// Milliseconds to a tenth.
template <typename Numbers>
std::string times_json(const Numbers& times) {
  return json_array(times, [](double time) { return json_number(std::round(time * 10) / 10); });
}

std::string sentence_json(const RecordedSentence& sentence) {
  JsonWriter json;
  json.field("target", sentence.target)
      .raw_field("said", times_json(sentence.said))
      .raw_field("delays", json_array(sentence.delays))
      .raw_field("written", times_json(sentence.written));
  add_scores(json, word_scores(sentence));
  return json.take();
}

std::string row_json(const RunRow& row) {
  const auto said = std::find_if(row.begin(), row.end(), [](const RecordedSentence& sentence) {
    return !sentence.source.empty();
  });
  return JsonWriter()
      .field("source", said == row.end() ? std::string() : said->source)
      .raw_field("runs", json_array(row, sentence_json))
      .take();
}

std::string run_json(const RecordedRun& run, const std::optional<double>& quality) {
  JsonWriter json;
  json.field("name", run.name)
      .field("model", run.model)
      .field("policy", run.policy)
      .field("sentences", static_cast<std::int64_t>(run.sentences.size()))
      .field("quality", quality);
  add_scores(json, word_scores(run));
  return json.raw_field("delays_ms", times_json(run.delays_ms())).take();
}

}  // namespace

std::vector<std::optional<double>> qualities(std::span<const RecordedRun> runs,
                                             const QualityMeasure& measure) {
  std::vector<std::optional<double>> found;
  for (const RecordedRun& run : runs) {
    std::vector<std::string> translations;
    std::vector<std::string> references = measure.references;
    if (measure.instead) {
      const std::array<const RecordedRun*, 2> both{&run, &*measure.instead};
      for (const RunRow& row : align(both)) {
        translations.push_back(row[0].target);
        references.push_back(row[1].target);
      }
    } else {
      for (const RecordedSentence& sentence : run.sentences) {
        translations.push_back(sentence.target);
      }
    }
    const bool comparable = !references.empty() && translations.size() == references.size();
    found.push_back(comparable ? std::optional(corpus_bleu(translations, references).score)
                               : std::nullopt);
  }
  return found;
}

std::string to_html(const ReportPage& page, const std::string& title,
                    std::span<const RecordedRun> runs,
                    const std::optional<QualityMeasure>& quality) {
  std::vector<const RecordedRun*> all;
  for (const RecordedRun& run : runs) {
    all.push_back(&run);
  }
  const std::vector<std::optional<double>> scores =
      quality ? qualities(runs, *quality) : std::vector<std::optional<double>>(runs.size());
  std::string runs_json;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs_json += (i == 0 ? "" : ",") + run_json(runs[i], scores[i]);
  }
  JsonWriter data;
  data.field("title", title).raw_field("runs", "[" + runs_json + "]");
  if (quality) {
    data.raw_field("quality",
                   JsonWriter().field("name", quality->name).field("about", quality->about).take());
  }
  data.raw_field("rows", json_array(align(all), row_json));
  return page.with(data.take());
}

}  // namespace surtitle
