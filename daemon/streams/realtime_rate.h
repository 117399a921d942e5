// Measures whether words come faster than speech: from a file, a request, or all at once.
//
// Thread-safety: none. Time is told, so tests need no clock.
#pragma once

#include <algorithm>
#include <utility>

#include "daemon/base/clock.h"

namespace surtitle {

class RealtimeRate {
 public:
  static constexpr double kWordsPerSecond = 5;  // speech has two to three
  static constexpr double kWordsAtOnce = 30;    // a sentence that a recogniser had held back

  explicit RealtimeRate(TimePoint now) : at_(now) {}

  // Adds words. Returns true if some of them came faster than speech. After a burst, the rate is
  // back to normal within seconds.
  bool add(int words, TimePoint now) {
    const Seconds passed = now - std::exchange(at_, std::max(at_, now));
    room_ = std::min(room_ + kWordsPerSecond * std::max(passed.count(), 0.0), kWordsAtOnce) - words;
    const bool faster_than_realtime = room_ < 0;
    room_ = std::max(room_, -kWordsAtOnce);
    return faster_than_realtime;
  }

 private:
  double room_ = kWordsAtOnce;
  TimePoint at_;
};

}  // namespace surtitle
