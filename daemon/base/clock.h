// The clock of all durations and deadlines. State machines have no clock; callers pass the time in.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace surtitle {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Seconds = std::chrono::duration<double>;

// Clamps to a century, because times that are read from logs may be anything.
inline Clock::duration to_duration(Seconds seconds) {
  constexpr Seconds kCentury(100 * 365.25 * 24 * 3600);
  return std::chrono::duration_cast<Clock::duration>(std::clamp(seconds, -kCentury, kCentury));
}

// Rounded to 0.1 ms.
inline double milliseconds_between(TimePoint begin, TimePoint end) {
  const std::chrono::duration<double, std::milli> between = end - begin;
  return std::round(between.count() * 10) / 10;
}

}  // namespace surtitle
