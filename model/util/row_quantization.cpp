#include "model/util/row_quantization.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace surtitle {

float quantize_row(std::span<const float> row, std::span<std::int8_t> bytes) {
  constexpr float kMaxByte = 127;
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  const float scale = largest / kMaxByte;
  // The inverse of a subnormal scale may be infinite.
  const float factor = scale >= std::numeric_limits<float>::min() ? kMaxByte / largest : 0;
  // A product of two floats is exact in double, so a CPU that fuses it with the sum finds the same
  // byte. Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the lowest byte.
  constexpr double kRound = 6755399441055744.0;
  for (std::size_t i = 0; i < row.size(); ++i)
    bytes[i] = static_cast<std::int8_t>(
        std::bit_cast<std::uint64_t>(static_cast<double>(row[i]) * factor + kRound));
  return scale;
}

}  // namespace surtitle
