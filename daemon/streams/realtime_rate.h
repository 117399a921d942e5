// Whether words come faster than anybody speaks: from a file, a request, or all at once.
//
// Thread-safety: none. Time is told, so tests need no clock.
#pragma once

#include <algorithm>
#include <utility>

#include "daemon/base/clock.h"

namespace surtitle {

class SpeakingPace {
 public:
  static constexpr double kWordsPerSecond = 5;  // speech has two to three
  static constexpr double kWordsAtOnce = 30;    // a sentence that a recogniser had held back

  explicit SpeakingPace(TimePoint now) : at_(now) {}

  // So many words have come; true where some of them came ahead of speech. Who was far ahead is
  // back within seconds.
  bool add(int words, TimePoint now) {
    const Seconds passed = now - std::exchange(at_, std::max(at_, now));
    room_ = std::min(room_ + kWordsPerSecond * std::max(passed.count(), 0.0), kWordsAtOnce) - words;
    const bool ahead = room_ < 0;
    room_ = std::max(room_, -kWordsAtOnce);
    return ahead;
  }

 private:
  double room_ = kWordsAtOnce;
  TimePoint at_;
};

}  // namespace surtitle
