// Measures whether words arrive faster than speech, as from a file, a request, or all at once.
//
// The caller passes the time, so tests need no clock.
//
// Thread-safety: none; one owner.
#pragma once

#include <algorithm>
#include <utility>

#include "daemon/base/clock.h"

namespace surtitle {

class RealtimeRate {
 public:
  static constexpr double kWordsPerSecond = 5;  // speech has two to three
  static constexpr double kWordsAtOnce = 30;    // a recogniser may send a sentence at once

  explicit RealtimeRate(TimePoint now) : at_(now) {}

  // Adds words of speech (words_of_speech.h). Returns true if some of them arrived faster than
  // speech. The effect of a burst ends within seconds.
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
