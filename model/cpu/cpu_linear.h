// A linear layer of the CPU's inference: y = x W^T + bias, in float32 or in 8 bits.
//
// Thread-safety: immutable after construction; each thread brings its own QuantizedRows.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "model/cpu/int8_matrix.h"
#include "model/cpu/matrix.h"
#include "model/cpu/packed_matrix.h"

namespace surtitle {

// How weights and cached keys and values are stored. The CPU has no use for kHalf.
enum class Precision { kFloat32, kInt8, kHalf };

class CpuLinear {
 public:
  CpuLinear() = default;
  // Weight [outputs, inputs] row-major; bias [outputs], or none. REQUIRES: for kInt8,
  // Int8Matrix::supported().
  CpuLinear(const std::vector<float>& weight, std::vector<float> bias, std::int64_t inputs,
            Precision precision);

  std::int64_t outputs() const;

  // Rows of x [rows, inputs] as multiply() wants them; they may lie in `memory`.
  MatrixInput prepare(const float* x, std::int64_t rows, QuantizedRows& memory) const;
  // Outputs [first, first + count) of prepared rows. `output.bias` is not looked at.
  void multiply(const MatrixInput& input, MatrixOutput output) const;
  // All outputs: y [rows, outputs].
  void operator()(const float* x, std::int64_t rows, float* y, QuantizedRows& memory,
                  Then then = Then::kStore) const;

 private:
  std::variant<PackedMatrix, Int8Matrix> matrix_;
  std::vector<float> bias_;
};

}  // namespace surtitle
