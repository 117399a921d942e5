// Limits a log line that many connections may cause: at most one in kPause.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "daemon/base/clock.h"

namespace surtitle {

class LogThrottle {
 public:
  static constexpr std::chrono::seconds kPause{10};

  // Records an occurrence of the event. Returns the line to log, with the number of suppressed
  // occurrences, or nullopt if a line was logged less than kPause ago.
  std::optional<std::string> record(std::string what, TimePoint now) {
    if (logged_at_ && now - *logged_at_ < kPause) {
      ++suppressed_;
      return std::nullopt;
    }
    if (suppressed_ > 0) {
      what += " (and " + std::to_string(suppressed_) + " times since the last such line)";
    }
    logged_at_ = now;
    suppressed_ = 0;
    return what;
  }

 private:
  std::optional<TimePoint> logged_at_;
  long suppressed_ = 0;
};

}  // namespace surtitle
