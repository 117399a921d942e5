// Benchmarks of the cache of one sentence, with 4 heads of 64 components as in the shipped models.
#include <benchmark/benchmark.h>

#include "model/cpu/kv_cache.h"
#include "tests/bench/bench_values.h"

namespace surtitle {
namespace {

constexpr int kHeads = 4;
constexpr int kComponents = 64;
constexpr int kWidth = kHeads * kComponents;
constexpr int kPositions = 256;

bool runs_on_this_cpu(Precision precision, benchmark::State& state) {
  if (precision == Precision::kFloat32 || Int8Matrix::supported()) return true;
  state.SkipWithError("this CPU has no instructions for bytes");
  return false;
}

KvCache empty_cache(Precision precision) {
  return {{.slots = 1, .positions = kPositions, .heads = kHeads, .d = kComponents}, precision};
}

void cache_write(benchmark::State& state, Precision precision) {
  if (!runs_on_this_cpu(precision, state)) return;
  KvCache cache = empty_cache(precision);
  KvCache::Scratch scratch;
  const auto key = some_values(kWidth);
  int position = 0;
  for (auto _ : state) {
    cache.write(0, position, key.data(), key.data(), scratch);
    benchmark::ClobberMemory();
    position = (position + 1) % kPositions;
  }
}
BENCHMARK_CAPTURE(cache_write, float32, Precision::kFloat32);
BENCHMARK_CAPTURE(cache_write, int8, Precision::kInt8);

void cache_attend(benchmark::State& state, Precision precision) {
  if (!runs_on_this_cpu(precision, state)) return;
  KvCache cache = empty_cache(precision);
  KvCache::Scratch scratch;
  const auto values = some_values(kPositions * kWidth);
  for (int position = 0; position < kPositions; ++position) {
    const float* at = values.data() + position * kWidth;
    cache.write(0, position, at, at, scratch);
  }
  std::vector<float> context(kWidth);
  const auto visible = static_cast<int>(state.range(0));
  for (auto _ : state) {
    cache.attend({.slot = 0,
                  .query = values.data(),
                  .bias = nullptr,
                  .visible = visible,
                  .context = context.data()},
                 scratch);
    benchmark::ClobberMemory();
  }
  state.counters["cache_B/s"] =
      per_second(static_cast<double>(cache.bytes_per_position()) * visible);
}
BENCHMARK_CAPTURE(cache_attend, float32, Precision::kFloat32)
    ->ArgName("visible")
    ->Arg(16)
    ->Arg(64)
    ->Arg(256);
BENCHMARK_CAPTURE(cache_attend, int8, Precision::kInt8)
    ->ArgName("visible")
    ->Arg(16)
    ->Arg(64)
    ->Arg(256);

}  // namespace
}  // namespace surtitle
