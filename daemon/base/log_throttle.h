// What would fill a log where a thousand connections a second meet the same trouble: said when it
// begins, and then at most every ten seconds.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "daemon/base/clock.h"

namespace surtitle {

class RareWarning {
 public:
  static constexpr std::chrono::seconds kPause{10};

  // It happened. The line to say now, with how often it happened unsaid since the last one; nothing
  // where one was said a short time ago.
  std::optional<std::string> happened(std::string what, TimePoint now) {
    if (said_ && now - *said_ < kPause) {
      ++unsaid_;
      return std::nullopt;
    }
    if (unsaid_ > 0) {
      what += " (and " + std::to_string(unsaid_) + " times since this was last said)";
    }
    said_ = now;
    unsaid_ = 0;
    return what;
  }

 private:
  std::optional<TimePoint> said_;
  long unsaid_ = 0;
};

}  // namespace surtitle
