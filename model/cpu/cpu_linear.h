// A linear layer on the CPU: y = x W^T + bias, in float32 or in 8 bits.
//
// Thread-safety: immutable after construction; each thread has its own QuantizedRows.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "model/cpu/int8_matrix.h"
#include "model/cpu/matrix.h"
#include "model/cpu/packed_matrix.h"
#include "model/cpu/sparse_input_matrix.h"

namespace surtitle {

// Storage of weights and cached keys and values. The CPU does not use kHalf.
enum class Precision { kFloat32, kInt8, kHalf };

// What is known about a layer's inputs.
enum class LinearInputs { kAny, kAfterRelu };

class CpuLinear {
 public:
  CpuLinear() = default;
  // Weight [outputs, inputs] row-major; bias [outputs], or none. REQUIRES: for kInt8,
  // Int8Matrix::supported().
  CpuLinear(const std::vector<float>& weight, std::vector<float> bias, std::int64_t inputs,
            Precision precision, LinearInputs kind = LinearInputs::kAny);

  std::int64_t outputs() const;

  // Returns rows of x [rows, inputs] in multiply()'s form; they may lie in `memory`.
  MatrixInput prepare(const float* x, std::int64_t rows, QuantizedRows& memory) const;
  // Computes outputs [first, first + count) of prepared rows. Ignores `output.bias`. REQUIRES:
  // output.first a multiple of kSparsePanel.
  void multiply(const MatrixInput& input, MatrixOutput output) const;
  // Computes all outputs: y [rows, outputs].
  void operator()(const float* x, std::int64_t rows, float* y, QuantizedRows& memory,
                  Epilogue epilogue = Epilogue::kStore) const;

 private:
  std::variant<PackedMatrix, Int8Matrix, SparseInputMatrix> matrix_;
  std::vector<float> bias_;
};

}  // namespace surtitle
