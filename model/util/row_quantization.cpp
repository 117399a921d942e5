#include "model/util/row_quantization.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace surtitle {

float quantize_row(std::span<const float> row, std::span<std::int8_t> bytes) {
  constexpr float kMaxByte = 127;
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  const float factor = largest > 0 ? kMaxByte / largest : 0;
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the lowest byte.
  for (std::size_t i = 0; i < row.size(); ++i)
    bytes[i] =
        static_cast<std::int8_t>(std::bit_cast<std::uint32_t>(row[i] * factor + 12582912.0F));
  return largest / kMaxByte;
}

}  // namespace surtitle
