// A weight matrix in float32, laid out for the CPU's inference, where few rows at a time are
// multiplied with it.
//
// Layout: panels of 16 outputs, [outputs / 16][inputs][16], the last panel filled up with zeros:
// one vector load brings one input's weights of 16 outputs, and nothing is repacked at every
// product as a BLAS does.
//
// Every output is summed over the inputs in their order, however many rows are multiplied and
// whichever threads do it: a row's result does not depend on its batch.
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
