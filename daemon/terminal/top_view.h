// The contents of `surtitle top`: a daemon's state between two readings of its metrics.
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
  double load = 0;                   // share of the model's time
  double open = 0;                   // open sentences
  double waiting = 0;                // sentences that wait for the translator
  std::optional<double> batch = {};  // mean number of tokens written by a step
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
  double seconds = 1;  // between the readings
  double streams = 0;
  double viewers = 0;
  double words_in = 0;    // per second
  double tokens_out = 0;  // per second
  std::optional<double> delay_p50_ms = {};
  std::optional<double> delay_p99_ms = {};
  double memory_bytes = 0;
  double processors = 0;  // processors in use, such as 1.5 of two
  double network_load = 0;
  double delay_p95_ms = 0;  // of admission control: the last two seconds
  bool admission_closed = false;
  double overloaded = 0;  // streams rejected as overloaded since the daemon started
  bool journal_failing = false;
  double journal_entries = 0;  // per second
  std::optional<double> journal_p99_ms = {};
  std::vector<std::string> stalled;  // stalled threads
  std::vector<TopModel> models;
  std::vector<TopStream> shown;  // those with the longest delays, in that order
};

// `seconds`: time between the readings. `streams`: the answer to GET /v1/admin/streams. REQUIRES:
// `seconds` is above 0. Throws std::runtime_error if `streams` is not such an answer.
TopView make_top_view(const MetricsScrape& now, const MetricsScrape& before, double seconds,
                      const std::string& streams);

// Returns at most `lines` lines of at most `columns` characters, without escape sequences.
std::vector<std::string> to_screen(const TopView& view, const std::string& url, int columns,
                                   int lines);
std::string to_json(const TopView& view);

}  // namespace surtitle
