#include "daemon/evaluation/sweep_report.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "daemon/base/json_writer.h"
#include "metrics/bleu.h"

namespace surtitle {
namespace {

struct Column {
  const char* key;      // in CSV and JSON
  const char* heading;  // in the table
  std::optional<double> (*value)(const SweepRun&);
};

// The last ones are computation aware.
constexpr std::array<Column, 11> kColumns{{
    {"bleu", "BLEU", [](const SweepRun& run) { return std::optional(run.scores.bleu.score); }},
    {"chrf", "chrF2", [](const SweepRun& run) { return std::optional(run.scores.chrf); }},
    {"al", "AL", [](const SweepRun& run) { return run.scores.words.al; }},
    {"laal", "LAAL", [](const SweepRun& run) { return run.scores.words.laal; }},
    {"ap", "AP", [](const SweepRun& run) { return run.scores.words.ap; }},
    {"dal", "DAL", [](const SweepRun& run) { return run.scores.words.dal; }},
    {"cw", "CW", [](const SweepRun& run) { return run.scores.words.cw; }},
    {"yaal", "YAAL", [](const SweepRun& run) { return run.scores.words.yaal; }},
    {"long_yaal", "LongYAAL", [](const SweepRun& run) { return run.scores.words.long_yaal; }},
    {"yaal_ca", "YAAL_CA", [](const SweepRun& run) { return run.aware->yaal; }},
    {"long_yaal_ca", "LongYAAL_CA", [](const SweepRun& run) { return run.aware->long_yaal; }},
}};

std::span<const Column> columns_of(const SweepRun& run) {
  return std::span(kColumns).first(run.aware ? kColumns.size() : kColumns.size() - 2);
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& number) {
  std::array<char, 40> text{};
  if (!number) {
    return "";
  }
  const auto end = std::to_chars(text.data(), text.data() + text.size(), *number).ptr;
  return {text.data(), end};
}

std::string to_json(const LengthBucket& bucket) {
  JsonWriter json;
  json.field("most_words", bucket.most_words);
  json.field("sentences", static_cast<std::int64_t>(bucket.sentences));
  json.field("bleu", bucket.bleu);
  return json.finish();
}

std::string to_json(const SweepRun& run) {
  JsonWriter json;
  json.field("test_set", run.test_set).field("model", run.model).field("policy", run.policy);
  json.field("trained", run.trained);
  json.field("sentences", static_cast<std::int64_t>(run.scores.sentences));
  for (const Column& column : columns_of(run)) {
    json.field(column.key, column.value(run));
  }
  json.field("tokens_per_second", run.tokens_per_second);
  json.raw_field("steps",
                 json_array(run.steps, [](std::int64_t count) { return std::to_string(count); }));
  json.raw_field("lengths", json_array(run.lengths,
                                       [](const LengthBucket& bucket) { return to_json(bucket); }));
  return json.finish();
}

// A cell of a Markdown table.
std::string cell(std::string text) {
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

}  // namespace

std::string sweep_table_head(const SweepRun& run) {
  std::string names = "| test set | model | policy |";
  std::string rule = "|---|---|---|";
  for (const Column& column : columns_of(run)) {
    names += std::string(" ") + column.heading + " |";
    rule += "---|";
  }
  return names + "\n" + rule + "\n";
}

std::string sweep_table_row(const SweepRun& run) {
  std::string row = "| " + cell(run.test_set) + " | " + cell(run.model) + " | " + run.policy + " |";
  for (const Column& column : columns_of(run)) {
    std::array<char, 48> text{};
    const auto value = column.value(run);
    if (value) {
      std::snprintf(text.data(), text.size(), " %.2f |", *value);
    }
    row += value ? text.data() : " - |";
  }
  return row + "\n";
}

std::string to_csv(std::span<const SweepRun> runs) {
  std::string csv = "test_set,model,policy,trained,sentences";
  for (const Column& column : columns_of(runs.front())) {
    csv += std::string(",") + column.key;
  }
  csv += ",tokens_per_second\r\n";
  for (const SweepRun& run : runs) {
    csv += csv_text(run.test_set) + "," + csv_text(run.model) + "," + csv_text(run.policy) + "," +
           (run.trained ? "true" : "false") + "," + std::to_string(run.scores.sentences);
    for (const Column& column : columns_of(run)) {
      csv += "," + csv_number(column.value(run));
    }
    csv += "," + csv_number(run.tokens_per_second) + "\r\n";
  }
  return csv;
}

std::string to_html(const ReportPage& page, std::span<const SweepRun> runs) {
  JsonWriter data;
  data.field("bleu_signature", bleu_signature());
  data.raw_field("runs", json_array(runs, [](const SweepRun& run) { return to_json(run); }));
  return page.with(data.finish());
}

}  // namespace surtitle
