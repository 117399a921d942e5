// Measures the time of a call by repeating it, for benchmarks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace surtitle {

// Seconds of one call. Other programs on the machine make single calls longer. The median tolerates
// some of them, the minimum nearly all.
struct Timing {
  double median = 0;
  double least = 0;
};

// Calls once to warm up, then repeatedly for `seconds`, at least three times.
template <typename Call>
Timing time_calls(double seconds, const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  call();
  std::vector<double> times;
  const auto begin = Clock::now();
  while (times.size() < 3 || since(begin) < seconds) {
    const auto at = Clock::now();
    call();
    times.push_back(since(at));
  }
  std::sort(times.begin(), times.end());
  return {.median = times[times.size() / 2], .least = times.front()};
}

}  // namespace surtitle
