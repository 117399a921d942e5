// Benchmarks of this machine's limits, to which other benchmarks are compared: operations in
// registers, and reading.
//
// Use --benchmark_repetitions=10 and the fastest run; other programs on the machine make single
// runs slower.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/cpu/simd.h"
#include "model/util/aligned_vector.h"
#include "tests/bench/bench_values.h"
#include "tests/bench/peak_kernels.h"

namespace surtitle {
namespace {

constexpr std::int64_t kChunk = 8 * kFloatVector;  // floats of a round of Sum

struct Sum {
  // REQUIRES: `count` is a multiple of kChunk.
  [[gnu::always_inline]] static void run(const float* from, std::int64_t count, float* result) {
    FloatVector sums[8] = {};
    for (std::int64_t i = 0; i < count; i += kChunk) {
      SURTITLE_UNROLL
      for (int s = 0; s < 8; ++s) {
        FloatVector value;
        load(value, from + i + std::int64_t{s} * kFloatVector);
        sums[s] += value;
      }
    }
    FloatVector total = {};
    SURTITLE_UNROLL
    for (const FloatVector& sum : sums) total += sum;
    store(result, total);
  }
};

void multiply(benchmark::State& state, const Peak& peak) {
  for (auto _ : state) peak.run();
  state.counters["op/s"] = per_second(peak.operations);
}

// Each thread reads its own buffer of these bytes again and again.
void read(benchmark::State& state) {
  const std::int64_t count = state.range(0) / static_cast<int>(sizeof(float)) / kChunk * kChunk;
  const AlignedVector<float> buffer(static_cast<std::size_t>(count), 1.0F);
  alignas(64) float result[kFloatVector];
  for (auto _ : state) {
    run_for_this_cpu<Sum, const float*, std::int64_t, float*>(buffer.data(), count, result);
    benchmark::DoNotOptimize(result);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * static_cast<std::int64_t>(sizeof(float)));
}

// Half the L2 cache, a decoder step's weights, and four times the last cache, limited for small
// machines.
void read_sizes(benchmark::internal::Benchmark* bench) {
  const std::int64_t l2 = std::max<std::int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE), 1 << 20);
  const std::int64_t last = sysconf(_SC_LEVEL3_CACHE_SIZE);
  bench->Arg(l2 / 2)->Arg(5 << 20)->Arg(
      std::clamp<std::int64_t>(4 * last, std::int64_t{256} << 20, std::int64_t{1} << 30));
}

const auto* const kFloats =
    benchmark::RegisterBenchmark("multiply_floats", multiply, float_peak()) -> ThreadRange(1, 2);
const auto* const kBytes =
    byte_peak() ? benchmark::RegisterBenchmark("multiply_bytes", multiply, *byte_peak())
                      -> ThreadRange(1, 2)
                : nullptr;
BENCHMARK(read)->ArgName("bytes")->Apply(read_sizes)->ThreadRange(1, 2)->UseRealTime();

}  // namespace
}  // namespace surtitle
