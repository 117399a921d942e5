// Collects the measurements of a replay over its streams and formats them.
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

// Returns the smallest value that at least `share` of all values do not exceed (nearest rank), or
// nullopt if there are no values. REQUIRES: sorted; share above 0 and at most 1.
std::optional<double> percentile(std::span<const float> sorted, double share);

// The percentiles that reports have.
inline constexpr std::array kPercents{50, 95, 99};

// Rounds to a thousandth, the precision of the JSON output.
std::optional<double> rounded(const std::optional<double>& value);

// The mean of values that are added one by one. A value may be unknown.
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

  // --- during the replay ---
  // Source words were sent, `lateness_ms` after their due time if they had one.
  void sent(int words, std::optional<float> lateness_ms);
  void completed(const protocol::Sentence& sentence, int tokens, std::span<const float> delays_ms);
  void error() { ++errors_; }
  void overloaded() { ++overloaded_; }  // the daemon rejected a stream as overloaded
  // Sets the measured time. Without a warm-up, it is the time from the start of the first stream to
  // the end of the last one.
  void lasted(double seconds) { seconds_ = seconds; }

  // --- afterwards ---
  // kLeftOut: without AL and the other latencies in words, which follow in a table of the run.
  enum class Scores { kShown, kLeftOut };
  std::string to_table(Scores scores = Scores::kShown);
  // {"streams":..,"sentences":..,"words_in":..,"tokens_out":..,"delay_ms":{"p50":..,"p95":..,
  // "p99":..},"al":..,"laal":..,"ap":..,"dal":..,"cw":..,"yaal":..,"long_yaal":..,"errors":..,
  // "overloaded":..,"words_per_second":..,"ms":..}; a value that was not measured is null. `ms`:
  // scores in milliseconds (to_json(TimeScores)); empty: unknown.
  std::string to_json(const std::string& ms = "");

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
