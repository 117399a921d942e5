#include "daemon/terminal/top_view.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_writer.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr double kMillisecond = 1e-3;

std::optional<double> in_ms(const std::optional<double>& seconds) {
  return seconds ? std::optional(*seconds / kMillisecond) : std::nullopt;
}

std::string fixed(const std::optional<double>& value, int digits) {
  if (!value) {
    return "-";
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, *value);
  return text.data();
}

std::string percent(double share) { return fixed(100 * share, 0) + " %"; }

std::string size(double bytes) {
  constexpr double kKibi = 1024;
  const double mebi = bytes / kKibi / kKibi;
  return mebi < 10 * kKibi ? fixed(mebi, 0) + " MiB" : fixed(mebi / kKibi, 1) + " GiB";
}

std::string age(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  return seconds < 2 * kMinute ? fixed(seconds, 0) + " s"
         : seconds < 2 * kHour ? fixed(seconds / kMinute, 0) + " min"
                               : fixed(seconds / kHour, 1) + " h";
}

// Returns the text with exactly |width| characters: cut, or padded at its end (`width` > 0) or its
// beginning.
std::string cell(const std::string& text, int width) {
  const auto wide = static_cast<std::size_t>(std::abs(width));
  const std::string cut = text.substr(0, wide);
  const std::string blanks(wide - cut.size(), ' ');
  return width > 0 ? cut + blanks : blanks + cut;
}

std::string row(const std::vector<std::pair<std::string, int>>& cells) {
  std::string line;
  for (const auto& [text, width] : cells) {
    line += cell(text, width) + " ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

TopModel model_of(const std::string& name, const MetricsScrape& now, const MetricsScrape& before) {
  const std::string label = "model=\"" + name + "\"";
  const auto gauge = [&](const char* series) {
    return now.value(std::string(series) + "{" + label + "}");
  };
  TopModel model;
  model.name = name;
  model.load = gauge("surtitle_model_load_ratio");
  model.open = gauge("surtitle_sentences_open");
  model.waiting = gauge("surtitle_sentences_waiting");
  model.batch = now.mean("surtitle_batch_size", label, before);
  model.step_p50_ms = in_ms(now.quantile("surtitle_step_seconds", label, 0.5, before));
  model.step_p99_ms = in_ms(now.quantile("surtitle_step_seconds", label, 0.99, before));
  return model;
}

std::vector<TopStream> streams_of(const std::string& text) {
  boost::system::error_code failure;
  const json::value document = json::parse(text, failure);
  const json::value* list =
      failure || !document.is_object() ? nullptr : document.get_object().if_contains("streams");
  if (list == nullptr || !list->is_array()) {
    throw std::runtime_error("the daemon's answer is not a list of streams");
  }
  std::vector<TopStream> streams;
  for (const json::value& one : list->get_array()) {
    if (!one.is_object()) {
      throw std::runtime_error("the daemon's list of streams has an entry that is not an object");
    }
    JsonFields fields(one.get_object(), "a stream");
    TopStream stream;
    stream.name = fields.text("stream");
    stream.channel = fields.optional_text("channel").value_or("-");
    stream.model = fields.text("model");
    stream.policy = fields.text("policy");
    stream.attached = fields.flag("attached");
    stream.age_seconds = fields.number("age_seconds");
    stream.words_in = fields.whole_number("words_in");
    stream.delay_p50_ms = fields.optional_number("delay_p50_ms");
    stream.delay_p99_ms = fields.optional_number("delay_p99_ms");
    if (fields.error()) {
      throw std::runtime_error("the daemon's list of streams: " + *fields.error());
    }
    streams.push_back(std::move(stream));
  }
  return streams;
}

std::vector<std::string> head(const TopView& view, const std::string& url) {
  std::string admission = view.admission_closed ? "closed" : "open";
  admission += ", delay p95 " + fixed(view.delay_p95_ms, 0) + " ms, network load " +
               percent(view.network_load) + ", rejected " + fixed(view.overloaded, 0);
  std::string journal = view.journal_failing ? "WRITES FAIL" : "ok";
  journal += ", " + fixed(view.journal_entries, 0) + " entries/s, commit p99 " +
             fixed(view.journal_p99_ms, 1) + " ms";
  std::vector<std::string> lines{"surtitle top  " + url,
                                 "",
                                 row({{"streams", 10},
                                      {fixed(view.streams, 0), -8},
                                      {"", 2},
                                      {"words in", 12},
                                      {fixed(view.words_in, 1) + "/s", -10},
                                      {"", 2},
                                      {"write delay", 12},
                                      {"p50 " + fixed(view.delay_p50_ms, 1) + " ms", 14}}),
                                 row({{"viewers", 10},
                                      {fixed(view.viewers, 0), -8},
                                      {"", 2},
                                      {"tokens out", 12},
                                      {fixed(view.tokens_out, 1) + "/s", -10},
                                      {"", 2},
                                      {"", 12},
                                      {"p99 " + fixed(view.delay_p99_ms, 1) + " ms", 14}}),
                                 row({{"memory", 10},
                                      {size(view.memory_bytes), -8},
                                      {"", 2},
                                      {"processors", 12},
                                      {fixed(view.processors, 2), -10}}),
                                 "admission  " + admission,
                                 "journal    " + journal};
  for (const std::string& thread : view.stalled) {
    lines.push_back("STALLED    thread " + thread);
  }
  return lines;
}

}  // namespace

TopView make_top_view(const MetricsScrape& now, const MetricsScrape& before, double seconds,
                      const std::string& streams) {
  const auto rate = [&](const char* series) {
    return (now.value(series) - before.value(series)) / seconds;
  };
  TopView view;
  view.seconds = seconds;
  view.streams = now.value("surtitle_streams");
  view.viewers = now.value("surtitle_viewers");
  view.words_in = rate("surtitle_source_words_total");
  view.tokens_out = rate("surtitle_target_tokens_total");
  view.delay_p50_ms = in_ms(now.quantile("surtitle_write_delay_seconds", "", 0.5, before));
  view.delay_p99_ms = in_ms(now.quantile("surtitle_write_delay_seconds", "", 0.99, before));
  view.memory_bytes = now.value("process_resident_memory_bytes");
  view.processors = rate("process_cpu_seconds_total");
  view.network_load = now.value("surtitle_network_load_ratio");
  view.delay_p95_ms = now.value("surtitle_admission_delay_p95_seconds") / kMillisecond;
  view.admission_closed = now.value("surtitle_admission_closed") > 0;
  view.overloaded = now.value("surtitle_errors_total{code=\"overloaded\"}");
  view.journal_failing = now.value("surtitle_journal_failing") > 0;
  view.journal_entries = rate("surtitle_journal_entries_total");
  view.journal_p99_ms = in_ms(now.quantile("surtitle_journal_commit_seconds", "", 0.99, before));
  for (const std::string& thread : now.label_values("surtitle_stalled", "thread")) {
    if (now.value("surtitle_stalled{thread=\"" + thread + "\"}") > 0) {
      view.stalled.push_back(thread);
    }
  }
  for (const std::string& model : now.label_values("surtitle_model_load_ratio", "model")) {
    view.models.push_back(model_of(model, now, before));
  }
  view.shown = streams_of(streams);
  return view;
}

std::vector<std::string> to_screen(const TopView& view, const std::string& url, int columns,
                                   int lines) {
  std::vector<std::string> screen = head(view, url);
  screen.emplace_back();
  screen.push_back(row({{"MODEL", 20},
                        {"LOAD", -6},
                        {"OPEN", -6},
                        {"WAIT", -6},
                        {"BATCH", -7},
                        {"STEP p50", -11},
                        {"p99", -11}}));
  for (const TopModel& model : view.models) {
    screen.push_back(row({{model.name, 20},
                          {percent(model.load), -6},
                          {fixed(model.open, 0), -6},
                          {fixed(model.waiting, 0), -6},
                          {fixed(model.batch, 1), -7},
                          {fixed(model.step_p50_ms, 1) + " ms", -11},
                          {fixed(model.step_p99_ms, 1) + " ms", -11}}));
  }
  screen.emplace_back();
  screen.push_back(row({{"STREAM", 12},
                        {"CHANNEL", 13},
                        {"POLICY", 16},
                        {"AGE", -8},
                        {"WORDS", -8},
                        {"p50 ms", -8},
                        {"p99 ms", -8}}));
  for (const TopStream& stream : view.shown) {
    screen.push_back(row({{stream.name, 12},
                          {stream.channel, 13},
                          {stream.policy, 16},
                          {age(stream.age_seconds), -8},
                          {std::to_string(stream.words_in), -8},
                          {fixed(stream.delay_p50_ms, 1), -8},
                          {fixed(stream.delay_p99_ms, 1), -8}}) +
                     (stream.attached ? "" : "  detached"));
  }
  screen.resize(std::min(screen.size(), static_cast<std::size_t>(std::max(lines, 0))));
  for (std::string& line : screen) {
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(columns, 0))));
  }
  return screen;
}

std::string to_json(const TopView& view) {
  const auto model = [](const TopModel& one) {
    return JsonWriter()
        .field("model", one.name)
        .field("load_ratio", one.load)
        .field("sentences_open", one.open)
        .field("sentences_waiting", one.waiting)
        .field("batch", one.batch)
        .field("step_p50_ms", one.step_p50_ms)
        .field("step_p99_ms", one.step_p99_ms)
        .finish();
  };
  const auto stream = [](const TopStream& one) {
    return JsonWriter()
        .field("stream", one.name)
        .field("channel", one.channel)
        .field("model", one.model)
        .field("policy", one.policy)
        .field("attached", one.attached)
        .field("age_seconds", one.age_seconds)
        .field("words_in", one.words_in)
        .field("delay_p50_ms", one.delay_p50_ms)
        .field("delay_p99_ms", one.delay_p99_ms)
        .finish();
  };
  return JsonWriter()
      .field("seconds", view.seconds)
      .field("streams", view.streams)
      .field("viewers", view.viewers)
      .field("words_per_second", view.words_in)
      .field("tokens_per_second", view.tokens_out)
      .field("delay_p50_ms", view.delay_p50_ms)
      .field("delay_p99_ms", view.delay_p99_ms)
      .field("memory_bytes", view.memory_bytes)
      .field("processors", view.processors)
      .field("network_load_ratio", view.network_load)
      .field("delay_p95_ms", view.delay_p95_ms)
      .field("admission_closed", view.admission_closed)
      .field("overloaded", view.overloaded)
      .field("journal_failing", view.journal_failing)
      .raw_field("stalled", json_array(view.stalled, json_string))
      .raw_field("models", json_array(view.models, model))
      .raw_field("shown", json_array(view.shown, stream))
      .finish();
}

}  // namespace surtitle
