// The daemon's one clock. Parts that only think get the time passed in.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace surtitle {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Seconds = std::chrono::duration<double>;

// Beyond a century it is a century: times come from logs, too.
inline Clock::duration to_duration(Seconds seconds) {
  constexpr Seconds kCentury(100 * 365.25 * 24 * 3600);
  return std::chrono::duration_cast<Clock::duration>(std::clamp(seconds, -kCentury, kCentury));
}

// To a tenth of a millisecond.
inline double milliseconds_between(TimePoint begin, TimePoint end) {
  const std::chrono::duration<double, std::milli> between = end - begin;
  return std::round(between.count() * 10) / 10;
}

}  // namespace surtitle
