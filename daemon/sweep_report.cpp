#include "daemon/sweep_report.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "daemon/json_writer.h"
#include "daemon/shipped.h"
#include "metrics/bleu.h"

namespace surtitle {
namespace {

struct Column {
  const char* key;      // in CSV and JSON
  const char* heading;  // in the table
  std::optional<double> (*value)(const SweepRun&);
};

constexpr std::array<Column, 7> kColumns{{
    {"bleu", "BLEU", [](const SweepRun& run) { return std::optional(run.scores.bleu.score); }},
    {"chrf", "chrF2", [](const SweepRun& run) { return std::optional(run.scores.chrf); }},
    {"al", "AL", [](const SweepRun& run) { return run.scores.words.al; }},
    {"laal", "LAAL", [](const SweepRun& run) { return run.scores.words.laal; }},
    {"ap", "AP", [](const SweepRun& run) { return run.scores.words.ap; }},
    {"dal", "DAL", [](const SweepRun& run) { return run.scores.words.dal; }},
    {"cw", "CW", [](const SweepRun& run) { return run.scores.words.cw; }},
}};

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

template <typename Item, typename ToJson>
std::string json_array(std::span<const Item> items, ToJson to_json) {
  std::string array = "[";
  for (const Item& item : items) {
    array += (array.size() > 1 ? "," : "") + to_json(item);
  }
  return array + "]";
}

std::string to_json(const LengthBucket& bucket) {
  JsonWriter json;
  json.field("most_words", bucket.most_words);
  json.field("sentences", static_cast<std::int64_t>(bucket.sentences));
  json.field("bleu", bucket.bleu);
  return json.take();
}

std::string to_json(const SweepRun& run) {
  JsonWriter json;
  json.field("test_set", run.test_set).field("model", run.model).field("policy", run.policy);
  json.field("trained", run.trained);
  json.field("sentences", static_cast<std::int64_t>(run.scores.sentences));
  for (const Column& column : kColumns) {
    json.field(column.key, column.value(run));
  }
  json.field("tokens_per_second", run.tokens_per_second);
  json.raw_field("steps", json_array(std::span<const std::int64_t>(run.steps),
                                     [](std::int64_t count) { return std::to_string(count); }));
  json.raw_field("lengths", json_array(std::span(run.lengths),
                                       [](const LengthBucket& bucket) { return to_json(bucket); }));
  return json.take();
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) {
    throw std::runtime_error(
        file.string() + ": cannot be read; 'npm ci --prefix web' fetches the plotting library");
  }
  return text.str();
}

void replace_once(std::string& page, const std::string& mark, const std::string& text) {
  const auto at = page.find(mark);
  if (at == std::string::npos) {
    throw std::runtime_error("web/reports/sweep.html has no '" + mark + "'");
  }
  page.replace(at, mark.size(), text);
}

// Inside a script element "<" could end it or begin a comment; JSON knows "\u003c" as the same.
std::string inside_script(std::string json) {
  for (auto at = json.find('<'); at != std::string::npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

// A cell of a Markdown table.
std::string cell(std::string text) {
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

}  // namespace

std::string sweep_table_head() {
  std::string names = "| test set | model | policy |";
  std::string rule = "|---|---|---|";
  for (const Column& column : kColumns) {
    names += std::string(" ") + column.heading + " |";
    rule += "---|";
  }
  return names + "\n" + rule + "\n";
}

std::string sweep_table_row(const SweepRun& run) {
  std::string row = "| " + cell(run.test_set) + " | " + cell(run.model) + " | " + run.policy + " |";
  for (const Column& column : kColumns) {
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
  for (const Column& column : kColumns) {
    csv += std::string(",") + column.key;
  }
  csv += ",tokens_per_second\r\n";
  for (const SweepRun& run : runs) {
    csv += csv_text(run.test_set) + "," + csv_text(run.model) + "," + csv_text(run.policy) + "," +
           (run.trained ? "true" : "false") + "," + std::to_string(run.scores.sentences);
    for (const Column& column : kColumns) {
      csv += "," + csv_number(column.value(run));
    }
    csv += "," + csv_number(run.tokens_per_second) + "\r\n";
  }
  return csv;
}

std::string sweep_page() {
  const std::filesystem::path web = shipped_folder("web");
  const std::string library = read_file(web / "node_modules/echarts/dist/echarts.min.js");
  std::string page = read_file(web / "reports/sweep.html");
  replace_once(page, "<script src=\"../node_modules/echarts/dist/echarts.min.js\"></script>",
               "<script>" + library + "</script>");
  return page;
}

std::string to_html(std::string page, std::span<const SweepRun> runs) {
  JsonWriter data;
  data.field("bleu_signature", bleu_signature());
  data.raw_field("runs", json_array(runs, [](const SweepRun& run) { return to_json(run); }));
  replace_once(
      page, "<script id=\"data\" type=\"application/json\"></script>",
      "<script id=\"data\" type=\"application/json\">" + inside_script(data.take()) + "</script>");
  return page;
}

}  // namespace surtitle
