// What the CPU's matrices (model/cpu/packed_matrix.h, model/cpu/int8_matrix.h) multiply: y = x W^T
// + bias.
#pragma once

#include <cstdint>
#include <vector>

namespace surtitle {

// Rows of x. An 8-bit matrix reads the bytes, made by quantize_rows(), a float one x.
struct MatrixInput {
  const float* x = nullptr;  // [rows, inputs]
  std::int64_t rows = 0;
  const std::int8_t* bytes = nullptr;  // [rows, inputs rounded up to a multiple of 4]
  const float* scales = nullptr;       // [rows]: x = scale * byte
  const std::int32_t* sums = nullptr;  // [rows]: of the bytes
};

// What becomes of an output besides being stored.
enum class Then {
  kStore,
  kRelu,  // max(0, y)
  kAdd,   // to what stands there
};

// Where outputs [first, first + count) of every row go.
struct MatrixOutput {
  const float* bias = nullptr;  // [outputs], or none
  std::int64_t first = 0;       // a multiple of kPanel
  std::int64_t count = 0;
  float* y = nullptr;       // output `first` of the first row
  std::int64_t stride = 0;  // of y, from row to row
  Then then = Then::kStore;
};

// Outputs that a matrix lays side by side: one vector of floats.
constexpr std::int64_t kPanel = 16;

}  // namespace surtitle
