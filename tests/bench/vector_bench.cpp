// Benchmarks of element-wise arithmetic on rows as wide as the states of the shipped models.
#include <benchmark/benchmark.h>

#include "model/cpu/vector_math.h"
#include "tests/bench/bench_values.h"

namespace surtitle {
namespace {

constexpr std::int64_t kWidth = 256;

void norm(benchmark::State& state) {
  const auto rows = state.range(0);
  const auto x = some_values(rows * kWidth);
  const auto gain = some_values(kWidth);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    layer_norm(x.data(), rows, kWidth, gain.data(), gain.data(), y.data());
    benchmark::ClobberMemory();
  }
  state.counters["values/s"] = per_second(static_cast<double>(x.size()));
}
BENCHMARK(norm)->Name("layer_norm")->ArgName("rows")->Arg(1)->Arg(6)->Arg(48)->Arg(96);

void dot(benchmark::State& state) {
  const auto x = some_values(kWidth);
  for (auto _ : state) benchmark::DoNotOptimize(dot_tanh(x.data(), x.data(), kWidth));
  state.counters["values/s"] = per_second(kWidth);
}
BENCHMARK(dot)->Name("dot_tanh");

}  // namespace
}  // namespace surtitle
