// Numbers to multiply, for the kernels' benchmarks.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

namespace surtitle {

// As many, always the same ones.
inline std::vector<float> some_values(std::int64_t count) {
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& value : values) value = uniform(random);
  return values;
}

// For numbers that benchmarks print beside their times.
inline benchmark::Counter per_second(double each) {
  return {each, benchmark::Counter::kIsIterationInvariantRate};
}

}  // namespace surtitle
