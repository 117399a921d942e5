// The layout of cached keys and values in 8 bits, and attention to them.
//
// A block of model/cpu/kv_cache.h is:
//
//   keys [H][d / 4][16][4], their scales [H][16], values [H][4][d][4], their scales [H][16]
//
// There is one scale for each position and head (see quantize() in model/cpu/int8_matrix.h). A byte
// is stored with 128 added. Four components of a key are adjacent, and four positions of a value's
// component, because one operation sums them.
//
// Scores are sums of the query's bytes times the keys'. Weights are multiplied by the values'
// scales. Each is stored as two bytes, 256 high + low, in units of 1/32639 of the head's largest
// weight (32639 = 127 * 257). The sums of values are therefore sums of integers, too: exact, and
// equal in any order.
//
// ByteKernels (model/cpu/byte_kernels.h) has the functions: write() writes key and value [C] of
// position `lane` in a block. score() computes the scores of all heads into task.scores, and mix()
// turns them into the context.
//
// Thread-safety: different slots may be used by different threads.
#pragma once

#include <cstddef>

#include "model/cpu/cached_attention.h"
#include "model/cpu/int8_matrix.h"

namespace surtitle {

// Offsets of the parts of a block, in bytes.
struct ByteBlock {
  ByteBlock(std::ptrdiff_t heads, std::ptrdiff_t d) {
    constexpr std::size_t kLine = 64;
    const auto up = [](std::size_t bytes, std::size_t multiple) {
      return (bytes + multiple - 1) / multiple * multiple;
    };
    const auto positions = static_cast<std::size_t>(kCacheBlock * heads);
    const auto scales = positions * sizeof(float);
    key_scales = positions * up(static_cast<std::size_t>(d), static_cast<std::size_t>(kGroup));
    values = key_scales + scales;
    // A vector load of the last values also reads the beginning of their scales.
    value_scales = values + up(positions * static_cast<std::size_t>(d), kLine);
    size = up(value_scales + scales, kLine);
  }

  std::size_t key_scales;
  std::size_t values;
  std::size_t value_scales;
  std::size_t size;
};

}  // namespace surtitle
