// The daemon's one clock. Parts that only think get the time passed in.
#pragma once

#include <chrono>

namespace surtitle {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Seconds = std::chrono::duration<double>;

inline Clock::duration to_duration(Seconds seconds) {
  return std::chrono::duration_cast<Clock::duration>(seconds);
}

}  // namespace surtitle
