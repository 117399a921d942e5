// Inputs and outputs of matrix products on the CPU: y = x W^T + bias.
//
// For model/cpu/packed_matrix.h and model/cpu/int8_matrix.h.
#pragma once

#include <cstdint>
#include <vector>

namespace surtitle {

// Rows of x. An 8-bit matrix reads the bytes, which quantize_rows() makes; a float matrix reads x.
struct MatrixInput {
  const float* x = nullptr;  // [rows, inputs]
  std::int64_t rows = 0;
  const std::int8_t* bytes = nullptr;  // [rows, padded_inputs(inputs)]
  const float* scales = nullptr;       // [rows]: x = scale * byte
  const std::int32_t* sums = nullptr;  // [rows]: of the bytes
};

// Operation on an output before it is stored, in the kernel that computes it.
enum class Epilogue {
  kStore,
  kRelu,  // max(0, y)
  kAdd,   // y + the value stored there
};

// Destination of outputs [first, first + count) of every row.
struct MatrixOutput {
  const float* bias = nullptr;  // [outputs], or nullptr
  std::int64_t first = 0;       // a multiple of kPanel
  std::int64_t count = 0;
  float* y = nullptr;       // output `first` of the first row
  std::int64_t stride = 0;  // of y, from row to row
  Epilogue epilogue = Epilogue::kStore;
};

// Outputs that a matrix stores side by side: one vector of floats.
constexpr std::int64_t kPanel = 16;

}  // namespace surtitle
