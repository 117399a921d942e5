// What a replay found out, gathered over its streams and shown.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "daemon/replay/score_columns.h"

namespace surtitle {

// The smallest value that at least `share` of all values do not exceed (nearest rank); nothing
// where there are none. REQUIRES: sorted; share above 0 and at most 1.
std::optional<double> percentile(std::span<const float> sorted, double share);

// The shares, in percent, that runs are told by.
inline constexpr std::array kPercents{50, 95, 99};

// As JSON tells it: to a thousandth.
std::optional<double> rounded(const std::optional<double>& value);

// A mean that grows by one value at a time.
class RunningMean {
 public:
  void add(const std::optional<double>& value) {
    sum_ += value.value_or(0);
    count_ += value ? 1 : 0;
  }
  std::optional<double> mean() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
  }

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};

// Thread-safety: none; one owner.
class ReplayReport {
 public:
  explicit ReplayReport(int streams) : streams_(streams) {}

  // --- as it goes ---
  // Source words were sent, `lateness_ms` after their time, where they had one.
  void sent(int words, std::optional<float> lateness_ms);
  void completed(const protocol::Sentence& sentence, int tokens, std::span<const float> delays_ms);
  void error() { ++errors_; }
  void overloaded() { ++overloaded_; }  // the daemon had no time for a stream
  // What is measured took so long: from the first stream's begin to the last one's end, if it is
  // all of the replay.
  void lasted(double seconds) { seconds_ = seconds; }

  // --- afterwards ---
  std::string to_table();
  // {"streams":..,"sentences":..,"words_in":..,"tokens_out":..,"delay_ms":{"p50":..,"p95":..,
  // "p99":..},"al":..,"laal":..,"ap":..,"dal":..,"cw":..,"errors":..,"overloaded":..,
  // "words_per_second":..}; null where nothing was measured.
  std::string to_json();

 private:
  std::optional<double> words_per_second() const;

  int streams_;
  int errors_ = 0;
  int overloaded_ = 0;
  int sentences_ = 0;
  std::int64_t words_ = 0;
  std::int64_t tokens_ = 0;
  double seconds_ = 0;
  std::array<RunningMean, kScoreColumns.size()> scores_;  // over sentences, in words
  std::vector<float> delays_;                             // milliseconds, of every write
  std::vector<float> lateness_;                           // milliseconds, of every source message
};

}  // namespace surtitle
