// A weight matrix in 8 bits for inputs of which most are zero: those after a ReLU.
//
// Products with zeros are left out: each row has a list of its inputs above zero, and only their
// weights are read. On AVX2, this takes as long as an Int8Matrix if 38 % of the inputs are above
// zero, and 0.2 to 0.65 of that with the shipped models, which have 4 to 26 %.
//
// Weights are scaled for each output, inputs for each row, and the largest of each is at 127. Only
// two products are summed in 16 bits, so a row's scale need not limit the sum of four inputs, as
// that of an Int8Matrix must. The sums are exact: a row's result does not depend on its batch, nor
// on the CPU.
//
// Layout: panels of 64 outputs, [outputs / 64][inputs][64], a cache line for each input.
//
// Thread-safety: immutable after construction.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cpu/int8_matrix.h"
#include "model/cpu/matrix.h"
#include "model/util/aligned_vector.h"

namespace surtitle {

// Outputs whose weights for one input lie side by side.
constexpr std::int64_t kSparsePanel = 64;
// Inputs that one operation multiplies; zeros fill the list of a row up to whole groups.
constexpr std::int64_t kSparseGroup = 4;
// The place of an input has 16 bits.
constexpr std::int64_t kMaxSparseInputs = 1 << 16;

class SparseInputMatrix {
 public:
  SparseInputMatrix() = default;
  // Weight W row-major [outputs, inputs]. REQUIRES: inputs <= kMaxSparseInputs.
  SparseInputMatrix(const float* weight, std::int64_t outputs, std::int64_t inputs);

  std::int64_t outputs() const { return static_cast<std::int64_t>(scales_.size()); }
  std::int64_t inputs() const { return inputs_; }

  // REQUIRES: Int8Matrix::supported(), `input` from collect_rows(), and output.first a multiple of
  // kSparsePanel.
  void multiply(const MatrixInput& input, const MatrixOutput& output) const;

 private:
  std::int64_t inputs_ = 0;
  AlignedVector<std::int8_t> panels_;
  std::vector<float> scales_;  // [outputs]
};

// Returns the inputs above zero of rows of x [rows, inputs] in bytes, which lie in `memory`.
// REQUIRES: Int8Matrix::supported(); finite x, none below zero; inputs <= kMaxSparseInputs.
MatrixInput collect_rows(const float* x, std::int64_t rows, std::int64_t inputs,
                         QuantizedRows& memory);

}  // namespace surtitle
