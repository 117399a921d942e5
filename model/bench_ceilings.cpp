#include "model/bench_ceilings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <utility>

#include "model/aligned_vector.h"
#include "model/bench_timing.h"
#include "model/simd.h"
#include "model/vnni.h"
#include "model/worker_pool.h"

namespace surtitle {
namespace {

constexpr long kRounds = 20'000;             // of a peak's loop: around 0.1 ms
constexpr int kValues = 24 * kFloatVector;   // what a peak's loop works on
constexpr std::size_t kSmallRead = 1 << 20;  // a call reads a small buffer so often: bytes

// kRows x kColumns running sums in registers, enough to hide an instruction's latency. They begin
// from memory: the compiler must not know that they are all alike.
template <int kRows, int kColumns>
[[gnu::always_inline]] inline void multiply_floats(float* values) {
  FloatVector factor;
  FloatVector addend;
  FloatVector sums[kRows][kColumns];
  load(factor, values);
  load(addend, values + kFloatVector);
  SURTITLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (int c = 0; c < kColumns; ++c) load(sums[r][c], values + (r * kColumns + c) * kFloatVector);
  }
  for (long round = 0; round < kRounds; ++round) {
    SURTITLE_UNROLL
    for (int r = 0; r < kRows; ++r) {
      SURTITLE_UNROLL
      for (int c = 0; c < kColumns; ++c) sums[r][c] = sums[r][c] * factor + addend;
    }
  }
  SURTITLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (int c = 0; c < kColumns; ++c)
      store(values + (r * kColumns + c) * kFloatVector, sums[r][c]);
  }
}

// What lies there is looked at: the compiler must not leave out what wrote it.
void keep(const void* values) { asm volatile("" : : "r"(values) : "memory"); }

struct FloatPeak {
  void (*run)(float* values);  // [kValues]
  double operations;           // of a run
  const char* instructions;
};

template <int kRows, int kColumns>
void peak_plain(float* values) {
  multiply_floats<kRows, kColumns>(values);
}
template <int kRows, int kColumns>
SURTITLE_AVX2 void peak_avx2(float* values) {
  multiply_floats<kRows, kColumns>(values);
}
template <int kRows, int kColumns>
SURTITLE_AVX512 void peak_avx512(float* values) {
  multiply_floats<kRows, kColumns>(values);
}

FloatPeak float_peak() {
  constexpr double kOperations = 2.0 * kFloatVector * kRounds;
  using Choice = FloatPeak (*)();
  const Choice plain = [] { return FloatPeak{peak_plain<2, 1>, 2 * kOperations, "plain"}; };
  const Choice avx2 = [] { return FloatPeak{peak_avx2<5, 1>, 5 * kOperations, "AVX2"}; };
  const Choice avx512 = [] { return FloatPeak{peak_avx512<6, 4>, 24 * kOperations, "AVX-512"}; };
  return for_this_cpu(plain, avx2, avx512)();
}

#if defined(SURTITLE_VNNI)
constexpr int kByteSums = 16;
constexpr double kByteOperations = 2.0 * 64 * kByteSums * kRounds;

// As multiply_floats(). GCC copies sums of type __m512i from register to register.
template <std::size_t... kSums>
SURTITLE_VNNI void multiply_bytes(std::int32_t* values, std::index_sequence<kSums...>) {
  const __m512i weight = _mm512_loadu_si512(values);
  const __m512i input = _mm512_loadu_si512(values + kFloatVector);
  IntVector sums[] = {(IntVector)_mm512_loadu_si512(values + kSums * kFloatVector)...};
  for (long round = 0; round < kRounds; ++round)
    ((sums[kSums] = (IntVector)_mm512_dpbusd_epi32((__m512i)sums[kSums], weight, input)), ...);
  (_mm512_storeu_si512(values + kSums * kFloatVector, (__m512i)sums[kSums]), ...);
}
#endif

struct Sum {
  // count: a multiple of 8 vectors.
  [[gnu::always_inline]] static void run(const float* from, std::size_t count, float* result) {
    FloatVector sums[8] = {};
    for (std::size_t i = 0; i < count; i += 8 * kFloatVector) {
      SURTITLE_UNROLL
      for (int s = 0; s < 8; ++s) {
        FloatVector value;
        load(value, from + i + static_cast<std::size_t>(s) * kFloatVector);
        sums[s] += value;
      }
    }
    FloatVector total = {};
    SURTITLE_UNROLL
    for (int s = 0; s < 8; ++s) total += sums[s];
    store(result, total);
  }
};

std::size_t cache_size(int name, std::size_t otherwise) {
  const long size = sysconf(name);
  return size > 0 ? static_cast<std::size_t>(size) : otherwise;
}

class Machine {
 public:
  Machine(int threads, double seconds) : threads_(threads), seconds_(seconds), pool_(threads) {}

  // Calls a second of run(thread), times threads.
  double rate(const std::function<void(int)>& run) {
    return threads_ / time_calls(seconds_, [&] { pool_.run(threads_, run); }).least;
  }

  // Each thread reads `bytes`, which begin at thread * stride.
  double read_rate(std::size_t bytes, std::size_t stride) {
    const auto count = bytes / kChunk * kChunk / sizeof(float);
    const auto step = stride / kChunk * kChunk / sizeof(float);
    const AlignedVector<float> buffer(count + static_cast<std::size_t>(threads_ - 1) * step, 1.0F);
    const auto times = std::max<std::size_t>(1, kSmallRead / bytes);
    return static_cast<double>(count * sizeof(float) * times) * rate([&](int thread) {
             alignas(64) float result[kFloatVector];
             for (std::size_t i = 0; i < times; ++i) {
               run_for_this_cpu<Sum, const float*, std::size_t, float*>(
                   buffer.data() + static_cast<std::size_t>(thread) * step, count, result);
               keep(result);
             }
           });
  }

 private:
  static constexpr std::size_t kChunk = 8 * sizeof(FloatVector);

  int threads_;
  double seconds_;
  WorkerPool pool_;
};

// CPU time through time of a thread that does nothing but count.
double share_of_a_core(double seconds) {
  const auto cpu = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto peak = float_peak();
  float values[kValues] = {};
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu();
  time_calls(seconds, [&] {
    peak.run(values);
    keep(values);
  });
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return std::min(1.0, (cpu() - cpu_begin) / wall.count());
}

}  // namespace

Ceilings measure_ceilings(int threads, std::size_t weight_bytes, double seconds) {
  const auto peak = float_peak();
  Machine machine(threads, seconds);
  Ceilings ceilings;
  ceilings.instructions = peak.instructions;
  ceilings.core_share = share_of_a_core(seconds);
  ceilings.float_operations = peak.operations * machine.rate([&](int) {
    alignas(64) float values[kValues] = {};
    peak.run(values);
    keep(values);
  });
#if defined(SURTITLE_VNNI)
  if (has_vnni())
    ceilings.byte_operations = kByteOperations * machine.rate([](int) {
      alignas(64) std::int32_t values[kValues] = {};
      multiply_bytes(values, std::make_index_sequence<kByteSums>());
      keep(values);
    });
#endif
  const auto l2 = cache_size(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 2;
  // Room for the last cache four times, within what a small machine has.
  const auto memory =
      std::clamp<std::size_t>(4 * cache_size(_SC_LEVEL3_CACHE_SIZE, 0), 256U << 20, 1U << 30);
  const auto slice = memory / static_cast<std::size_t>(threads);
  ceilings.reads = {{"l2", l2, machine.read_rate(l2, l2)},
                    {"weights", weight_bytes, machine.read_rate(weight_bytes, 0)},
                    {"memory", memory, machine.read_rate(slice, slice)}};
  return ceilings;
}

}  // namespace surtitle
