// The daemon's one clock. Parts that only think get the time passed in.
#pragma once

#include <chrono>
#include <cmath>

namespace surtitle {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Seconds = std::chrono::duration<double>;

inline Clock::duration to_duration(Seconds seconds) {
  return std::chrono::duration_cast<Clock::duration>(seconds);
}

// To a tenth of a millisecond.
inline double milliseconds_between(TimePoint begin, TimePoint end) {
  const std::chrono::duration<double, std::milli> between = end - begin;
  return std::round(between.count() * 10) / 10;
}

}  // namespace surtitle
