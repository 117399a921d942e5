// The totals of a stream, for the line at its end and for /v1/admin/streams.
//
// Thread-safety: none; belongs to the stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/base/clock.h"
#include "daemon/base/delay_histogram.h"
#include "daemon/base/log.h"
#include "daemon/protocol/protocol.h"
#include "metrics/latency.h"

namespace surtitle {

class StreamStats {
 public:
  // Counts a message that is published.
  void on_message(const protocol::ServerMessage& message);
  void received(std::size_t bytes) { bytes_in_ += bytes; }
  void add_delay(Seconds delay) { delays_.add(delay); }
  void completed(const LatencyScores& scores);

  std::int64_t words_out() const noexcept { return words_out_; }
  const DelayHistogram& delays() const noexcept { return delays_; }
  // Adds words_out, sentences, al_words, delay_p50_ms, delay_p99_ms and bytes_in, except those that
  // were not measured.
  void add_to(LogFields& fields) const;

 private:
  std::int64_t sentences_ = 0;
  std::int64_t words_out_ = 0;
  std::uint64_t bytes_in_ = 0;
  double al_ = 0;  // sum of the sentences' average lagging
  int al_count_ = 0;
  DelayHistogram delays_;
};

// Rounds to a tenth of a millisecond.
std::optional<double> to_milliseconds(const std::optional<Seconds>& delay);

}  // namespace surtitle
