// Rows of numbers in 8 bits, one scale a row: how weights are stored and how the 8-bit engine has
// them.
#pragma once

#include <cstdint>
#include <span>

namespace surtitle {

// Rounds row = scale * bytes, with the largest magnitude at 127, and returns the scale (0 for a row
// of zeros). Rounding the product again gives the same bytes. REQUIRES: bytes.size() == row.size(),
// and finite numbers.
float quantize_row(std::span<const float> row, std::span<std::int8_t> bytes);

}  // namespace surtitle
