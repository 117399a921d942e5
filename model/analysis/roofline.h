// What this machine can do at most, measured: the bounds that a benchmark's numbers are held
// against.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace surtitle {

// Bytes that all threads together read a second, from a buffer that was read before.
struct ReadRate {
  std::string of;         // "l2", "weights", "memory"
  std::size_t bytes = 0;  // the buffer's size
  double bytes_per_second = 0;
};

// All from the fastest of many runs.
struct Ceilings {
  std::string instructions;               // that floats are multiplied with: "AVX-512"
  double float_operations = 0;            // a second, all threads together; a multiplication and an
                                          // addition are two
  std::optional<double> byte_operations;  // likewise with AVX512-VNNI; none where there is none
  std::vector<ReadRate> reads;            // "l2": each thread its own buffer of half the L2 cache;
                                          // "weights": all the same one of `weight_bytes`;
                                          // "memory": each its share of one beyond the last cache
  double core_share = 0;                  // of a core's time that one busy thread got meanwhile
};

// Measures each for `seconds`, on so many threads.
Ceilings measure_ceilings(int threads, std::size_t weight_bytes, double seconds);

}  // namespace surtitle
