#include "daemon/evaluation/instance_scores.h"

#include <array>
#include <cstdio>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "metrics/chrf.h"

namespace surtitle {
namespace {

std::string table_row(std::string_view name, const std::optional<double>& value,
                      std::string_view remark) {
  std::array<char, 64> cell{};
  if (value) {
    std::snprintf(cell.data(), cell.size(), "%12.4f", *value);
  } else {
    std::snprintf(cell.data(), cell.size(), "%12s", "-");
  }
  std::string row(name);
  row.resize(12, ' ');
  row += cell.data();
  if (!remark.empty()) {
    row.append("   ").append(remark);
  }
  return row + "\n";
}

// The length that each metric divides by, or its definition, in the order of kLatencyMetrics.
constexpr std::array<std::string_view, kLatencyMetrics.size()> kConventions = {
    "reference length",
    "the longer of reference and prediction",
    "reference length",
    "prediction length",
    "prediction length, text to text",
    "number of waits",
    "prediction length",
    "first delay",
    "last delay - source length",
    "prediction length",
    "the longer of both, before the end of the source",
    "the longer of both, before the end of the recording",
};

void add_metrics(JsonWriter& json, std::span<const LatencyMetric> metrics,
                 const LatencyScores& scores) {
  for (const LatencyMetric& metric : metrics) {
    json.field(metric.name, scores.*metric.value);
  }
}

}  // namespace

LogScore score_log(std::span<const Instance> instances) {
  LogScore score;
  std::vector<std::string> predictions;
  std::vector<std::string> references;
  for (const Instance& instance : instances) {
    score.latencies.push_back(latency(instance));
    score.aware_latencies.push_back(computation_aware_latency(instance));
    score.empty += instance.delays.empty() ? 1 : 0;
    if (instance.prediction && instance.reference) {
      predictions.push_back(*instance.prediction);
      references.push_back(*instance.reference);
    }
  }
  score.mean = mean(score.latencies);
  score.aware_mean = mean(score.aware_latencies);
  if (!score.aware_mean.num_chunks) {
    score.aware_latencies.clear();
  }
  score.with_texts = predictions.size();
  if (!predictions.empty()) {
    score.bleu = corpus_bleu(predictions, references);
    score.chrf = corpus_chrf(predictions, references);
  }
  return score;
}

std::string to_table(const LogScore& score, std::string_view unit) {
  std::string table = counted(score.latencies.size(), "instance");
  if (score.empty > 0) {
    table += ", " + std::to_string(score.empty) + " of them empty and without latency";
  }
  table += "\nLatency in " + std::string(unit) +
           ", mean over instances. Words of a reference are those\nbetween single spaces. Without "
           "a reference, the prediction's length is used.\n\n";
  for (std::size_t i = 0; i < kLatencyMetrics.size(); ++i) {
    table +=
        table_row(kLatencyMetrics[i].name, score.mean.*kLatencyMetrics[i].value, kConventions[i]);
  }
  if (!score.aware_latencies.empty()) {
    table += "\nComputation aware: with the times at which the words really appeared\n\n";
    for (const LatencyMetric& metric : kComputationAwareMetrics) {
      table += table_row(metric.name, score.aware_mean.*metric.value, "");
    }
  }
  if (score.bleu) {
    table += "\nQuality over " + counted(score.with_texts, "instance") +
             " with prediction and reference\n\n";
    table += table_row("BLEU", score.bleu->score, bleu_signature());
    table += table_row("chrF2", score.chrf, chrf_signature());
  }
  return table;
}

std::string to_json(const LogScore& score, std::span<const Instance> instances) {
  std::string lines;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    JsonWriter line;
    line.field("index", instances[i].index);
    add_metrics(line, kLatencyMetrics, score.latencies[i]);
    if (!score.aware_latencies.empty()) {
      add_metrics(line, kComputationAwareMetrics, score.aware_latencies[i]);
    }
    lines += (i == 0 ? "" : ",") + line.finish();
  }
  JsonWriter summary;
  add_metrics(summary, kLatencyMetrics, score.mean);
  if (!score.aware_latencies.empty()) {
    add_metrics(summary, kComputationAwareMetrics, score.aware_mean);
  }
  summary.field("BLEU", score.bleu ? std::optional<double>(score.bleu->score) : std::nullopt);
  summary.field("chrF", score.chrf);
  summary.field("count", static_cast<std::int64_t>(score.latencies.size()));
  summary.field("empty", static_cast<std::int64_t>(score.empty));
  summary.field("with_texts", static_cast<std::int64_t>(score.with_texts));
  summary.field("BLEU_signature", bleu_signature());
  summary.field("chrF_signature", chrf_signature());
  JsonWriter whole;
  whole.raw_field("instances", "[" + lines + "]");
  whole.raw_field("summary", summary.finish());
  return whole.finish();
}

}  // namespace surtitle
