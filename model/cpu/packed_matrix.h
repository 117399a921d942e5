// A weight matrix in float32 for products with few rows.
//
// Layout: panels of 16 outputs, [outputs / 16][inputs][16], the last panel padded with zeros. One
// vector load reads one input's weights of 16 outputs. No product repacks the weights, as a BLAS
// would.
//
// Every output is summed over the inputs in their order, for any number of rows and threads. So a
// row's result does not depend on its batch.
//
// Thread-safety: immutable after construction.
#pragma once

#include <cstdint>

#include "model/cpu/matrix.h"
#include "model/util/aligned_vector.h"

namespace surtitle {

class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Weight W row-major [outputs, inputs].
  PackedMatrix(const float* weight, std::int64_t outputs, std::int64_t inputs);

  std::int64_t outputs() const { return outputs_; }
  std::int64_t inputs() const { return inputs_; }

  void multiply(const MatrixInput& input, const MatrixOutput& output) const;

 private:
  std::int64_t outputs_ = 0;
  std::int64_t inputs_ = 0;
  AlignedVector<float> panels_;
};

}  // namespace surtitle
