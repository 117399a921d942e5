// What a stream came to, for the line that the daemon logs at its end and for who looks meanwhile.
//
// Thread-safety: none; the stream's own.
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
  // Goes out to the sender or to viewers.
  void on_message(const protocol::ServerMessage& message);
  void received(std::size_t bytes) { bytes_in_ += bytes; }
  void delayed(Seconds delay) { delays_.add(delay); }
  void completed(const LatencyScores& scores);

  std::int64_t words_out() const noexcept { return words_out_; }
  const DelayHistogram& delays() const noexcept { return delays_; }
  // sentences, words_out, al, delay_p50_ms, delay_p99_ms, bytes_in; nothing of what was not
  // measured.
  void add_to(LogFields& fields) const;

 private:
  std::int64_t sentences_ = 0;
  std::int64_t words_out_ = 0;
  std::uint64_t bytes_in_ = 0;
  double al_ = 0;  // their sum
  int al_count_ = 0;
  DelayHistogram delays_;
};

// To a tenth.
std::optional<double> to_milliseconds(const std::optional<Seconds>& delay);

}  // namespace surtitle
