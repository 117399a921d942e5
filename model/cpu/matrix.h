// Inputs and outputs of matrix products on the CPU: y = x W^T + bias.
//
// For model/cpu/packed_matrix.h, model/cpu/int8_matrix.h and model/cpu/sparse_input_matrix.h.
#pragma once

#include <cstdint>
#include <vector>

namespace surtitle {

// Rows of x. A float matrix reads x; an Int8Matrix the bytes, which quantize_rows() makes; a
// SparseInputMatrix the bytes and their places, which collect_rows() makes.
struct MatrixInput {
  const float* x = nullptr;  // [rows, inputs]
  std::int64_t rows = 0;
  const std::int8_t* bytes = nullptr;     // [rows, padded_inputs(inputs)]
  const float* scales = nullptr;          // [rows]: x = scale * byte
  const std::int32_t* sums = nullptr;     // [rows]: of the bytes
  const std::uint16_t* places = nullptr;  // [rows, padded_inputs(inputs)]
  const std::int32_t* counts = nullptr;   // [rows]: of the places, zeros that fill a group included
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
  std::int64_t first = 0;       // a multiple of kPanel, or of kSparsePanel
  std::int64_t count = 0;
  float* y = nullptr;       // output `first` of the first row
  std::int64_t stride = 0;  // of y, from row to row
  Epilogue epilogue = Epilogue::kStore;
};

// Outputs that a matrix stores side by side: one vector of floats.
constexpr std::int64_t kPanel = 16;

}  // namespace surtitle
