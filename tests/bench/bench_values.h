// Input values and counters of the kernel benchmarks.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

namespace surtitle {

// Returns `count` values in [-1, 1), the same in each call.
inline std::vector<float> some_values(std::int64_t count) {
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& value : values) value = uniform(random);
  return values;
}

// Returns a counter of `each` per iteration, which benchmarks print as a rate.
inline benchmark::Counter per_second(double each) {
  return {each, benchmark::Counter::kIsIterationInvariantRate};
}

}  // namespace surtitle
