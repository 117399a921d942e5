// A weight matrix in 8 bits, for CPUs that multiply and add bytes; see model/cpu/byte_kernels.h.
//
// Weights are scaled for each output (symmetric, the largest at 127), x for each row:
//   y_n = s_x s_n (sum_i x_i w_ni) + bias_n
// The sum is a sum of integers and exact: a row's result does not depend on its batch, nor on the
// CPU.
//
// AVX2 sums the products of four inputs in 16 bits: those of inputs 0, 1, 4 and 5 of each eight,
// and those of 2, 3, 6 and 7. So a row's scale is the largest sum of such inputs of one sign,
// divided by 126: after rounding, none is above 128. All CPUs round this way. The steps of a row of
// normally distributed numbers are about 1.8 times those of a scale from the largest number alone,
// which a SparseInputMatrix has.
//
// Layout: panels of 16 outputs, [outputs / 16][inputs / 4][16][4], inputs padded to a multiple of
// eight, so that one vector load reads four inputs' weights of several outputs. VNNI multiplies
// unsigned by signed bytes. So a weight is stored with 128 added, and 128 times the sum of x is
// subtracted.
//
// Thread-safety: immutable after construction.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cpu/matrix.h"
#include "model/util/aligned_vector.h"

namespace surtitle {

// Rows of x in bytes; its memory is reused.
struct QuantizedRows {
  AlignedVector<std::int8_t> bytes;
  std::vector<float> scales;
  std::vector<std::int32_t> sums;
  AlignedVector<std::uint16_t> places;
  std::vector<std::int32_t> counts;
};

// Does not shrink the memory.
template <typename Values>
void make_room(Values& values, std::int64_t size) {
  if (values.size() < static_cast<std::size_t>(size)) values.resize(static_cast<std::size_t>(size));
}

class Int8Matrix {
 public:
  // Returns whether this CPU has the instructions: AVX2, or Arm's dot product.
  static bool supported();

  Int8Matrix() = default;
  // Weight W row-major [outputs, inputs].
  Int8Matrix(const float* weight, std::int64_t outputs, std::int64_t inputs);

  std::int64_t outputs() const { return static_cast<std::int64_t>(scales_.size()); }
  std::int64_t inputs() const { return inputs_; }

  // REQUIRES: supported(), and `input` from quantize_rows().
  void multiply(const MatrixInput& input, const MatrixOutput& output) const;

 private:
  std::int64_t inputs_ = 0;
  AlignedVector<std::uint8_t> panels_;
  std::vector<float> scales_;  // [outputs]
};

constexpr std::int64_t kGroup = 4;       // inputs that one operation multiplies
constexpr std::int64_t kInputBlock = 8;  // two groups; inputs are padded to whole blocks
// The largest sum of four inputs of one sign before rounding, which adds up to 0.5 to each.
constexpr float kMaxUnroundedSum = 126;

constexpr std::int64_t padded_inputs(std::int64_t inputs) {
  return (inputs + kInputBlock - 1) / kInputBlock * kInputBlock;
}

// Added to a weight or a cached key before it is stored.
constexpr int kByteOffset = 128;

// Result of quantize().
struct Quantized {
  float scale = 0;
  std::int32_t sum = 0;  // of the bytes
};

// Writes x [count] to `bytes`: x = scale * byte, the largest at 127. REQUIRES:
// Int8Matrix::supported().
Quantized quantize(const float* x, std::int64_t count, std::int8_t* bytes);

// Returns rows of x [rows, inputs] in bytes, which lie in `memory`. REQUIRES:
// Int8Matrix::supported().
MatrixInput quantize_rows(const float* x, std::int64_t rows, std::int64_t inputs,
                          QuantizedRows& memory);

}  // namespace surtitle
