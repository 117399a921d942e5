// Measures the upper limits of this machine, to which a benchmark is compared.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace surtitle {

// Bytes per second that all threads together read from a buffer that was read before.
struct ReadRate {
  std::string of;         // "l2", "weights", "memory"
  std::size_t bytes = 0;  // the buffer's size
  double bytes_per_second = 0;
};

// The limits, each from the fastest of many runs. Operations are those of all threads together; a
// multiplication and an addition are two.
struct Ceilings {
  std::string instructions;               // used for floats, such as "AVX-512"
  double float_operations = 0;            // per second
  std::optional<double> byte_operations;  // per second with AVX512-VNNI; nullopt without it
  // "l2": each thread reads its own buffer of half the L2 cache. "weights": all threads read the
  // same buffer of `weight_bytes`. "memory": each thread reads a part of a buffer that is larger
  // than the last cache.
  std::vector<ReadRate> reads;
  double core_share = 0;  // the share of a core's time that one busy thread had
};

// Measures each limit for `seconds` on `threads` threads.
Ceilings measure_ceilings(int threads, std::size_t weight_bytes, double seconds);

}  // namespace surtitle
