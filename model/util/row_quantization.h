// Rounds rows of numbers to 8 bits with one scale for each row.
//
// Packages store weights in this form, and the 8-bit engine uses them in it.
#pragma once

#include <cstdint>
#include <span>

namespace surtitle {

// Rounds row = scale * bytes, with the largest magnitude at 127, and returns the scale (0 for a row
// of zeros). Rounding the product again gives the same bytes. REQUIRES: bytes.size() == row.size(),
// and finite numbers. Thread-safety: may be called from any thread.
float quantize_row(std::span<const float> row, std::span<std::int8_t> bytes);

}  // namespace surtitle
