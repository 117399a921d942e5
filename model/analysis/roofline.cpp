#include "model/analysis/roofline.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <numeric>

#include "model/analysis/bench_timing.h"
#include "model/analysis/roofline_kernels.h"
#include "model/cpu/simd.h"
#include "model/util/aligned_vector.h"
#include "model/util/worker_pool.h"

namespace surtitle {
namespace {

constexpr std::size_t kSmallRead = 64 << 20;  // a call repeats a smaller buffer up to these bytes

struct Sum {
  // REQUIRES: `count` is a multiple of 8 vectors.
  [[gnu::always_inline]] static void run(const float* from, std::size_t count, float* result) {
    FloatVector sums[8] = {};
    for (std::size_t i = 0; i < count; i += std::size_t{8} * kFloatVector) {
      SURTITLE_UNROLL
      for (int s = 0; s < 8; ++s) {
        FloatVector value;
        load(value, from + i + static_cast<std::size_t>(s) * kFloatVector);
        sums[s] += value;
      }
    }
    FloatVector total = {};
    SURTITLE_UNROLL
    for (const FloatVector& sum : sums) total += sum;
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

  // Returns the calls per second of all threads together. Each thread counts with its fastest call,
  // because waking a thread takes time, too.
  double rate(void (*run)()) {
    std::vector<double> rates(static_cast<std::size_t>(threads_));
    time_calls(seconds_, [&] {
      pool_.run(threads_, [&](int thread) {
        const auto begin = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        auto& rate = rates[static_cast<std::size_t>(thread)];
        rate = std::max(rate, 1 / time.count());
      });
    });
    return std::accumulate(rates.begin(), rates.end(), 0.0);
  }

  // Each thread reads `bytes` that begin at thread * stride. The threads share the memory bus, so
  // the time ends with the last thread.
  double read_rate(std::size_t bytes, std::size_t stride) {
    const auto count = bytes / kChunk * kChunk / sizeof(float);
    const auto step = stride / kChunk * kChunk / sizeof(float);
    const AlignedVector<float> buffer(count + static_cast<std::size_t>(threads_ - 1) * step, 1.0F);
    const auto times = std::max<std::size_t>(1, kSmallRead / bytes);
    const std::function<void(int)> read = [&](int thread) {
      alignas(64) float result[kFloatVector];
      for (std::size_t i = 0; i < times; ++i) {
        run_for_this_cpu<Sum, const float*, std::size_t, float*>(
            buffer.data() + static_cast<std::size_t>(thread) * step, count, result);
        asm volatile("" : : "r"(result) : "memory");  // the compiler must not remove the read
      }
    };
    const double seconds = time_calls(seconds_, [&] { pool_.run(threads_, read); }).least;
    return static_cast<double>(count * sizeof(float) * times) * threads_ / seconds;
  }

 private:
  static constexpr std::size_t kChunk = 8 * sizeof(FloatVector);

  int threads_;
  double seconds_;
  WorkerPool pool_;
};

// Returns the CPU time of a busy thread, divided by the elapsed time.
double share_of_a_core(double seconds) {
  const auto cpu = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto peak = float_peak();
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu();
  time_calls(seconds, peak.run);
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
  ceilings.float_operations = peak.operations * machine.rate(peak.run);
  if (const auto bytes = byte_peak())
    ceilings.byte_operations = bytes->operations * machine.rate(bytes->run);
  const auto l2 = cache_size(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 2;
  // Four times the last cache, limited for small machines.
  const auto memory =
      std::clamp<std::size_t>(4 * cache_size(_SC_LEVEL3_CACHE_SIZE, 0), 256U << 20, 1U << 30);
  const auto slice = memory / static_cast<std::size_t>(threads);
  ceilings.reads = {{"l2", l2, machine.read_rate(l2, l2)},
                    {"weights", weight_bytes, machine.read_rate(weight_bytes, 0)},
                    {"memory", memory, machine.read_rate(slice, slice)}};
  return ceilings;
}

}  // namespace surtitle
