// What `surtitle top` shows: a daemon between two looks at it.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/terminal/metrics_scrape.h"

namespace surtitle {

struct TopModel {
  std::string name;
  double load = 0;                   // share of its time
  double open = 0;                   // sentences
  double waiting = 0;                // likewise, in line
  std::optional<double> batch = {};  // tokens written by a step, the mean
  std::optional<double> step_p50_ms = {};
  std::optional<double> step_p99_ms = {};
};

struct TopStream {
  std::string name;
  std::string channel;  // "-": none
  std::string model;
  std::string policy;
  bool attached = true;
  double age_seconds = 0;
  std::int64_t words_in = 0;
  std::optional<double> delay_p50_ms = {};
  std::optional<double> delay_p99_ms = {};
};

struct TopView {
  double seconds = 1;  // between the looks
  double streams = 0;
  double viewers = 0;
  double words_in = 0;    // a second
  double tokens_out = 0;  // likewise
  std::optional<double> delay_p50_ms = {};
  std::optional<double> delay_p99_ms = {};
  double memory_bytes = 0;
  double processors = 0;  // that it takes: 1.5 of two
  double network_load = 0;
  double delay_p95_ms = 0;
  bool admission_closed = false;
  double overloaded = 0;  // streams that were told so
  bool journal_failing = false;
  double journal_entries = 0;  // a second
  std::optional<double> journal_p99_ms = {};
  std::vector<std::string> stalled;  // threads that do not come around
  std::vector<TopModel> models;
  std::vector<TopStream> shown;  // those whose words are latest
};

// `streams`: what GET /v1/admin/streams answers. REQUIRES: `seconds` above 0 between the looks.
// Throws std::runtime_error where `streams` is something else.
TopView make_top_view(const MetricsReading& now, const MetricsReading& before, double seconds,
                      const std::string& streams);

// As many lines as fit, none longer than `columns`, without escapes.
std::vector<std::string> to_screen(const TopView& view, const std::string& url, int columns,
                                   int lines);
std::string to_json(const TopView& view);

}  // namespace surtitle
