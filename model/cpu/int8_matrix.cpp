#include "model/cpu/int8_matrix.h"

#include <algorithm>
#include <cstring>

#include "model/cpu/byte_kernels.h"
#include "model/util/row_quantization.h"

namespace surtitle {
namespace {

std::int64_t groups_of(std::int64_t inputs) { return padded_inputs(inputs) / kGroup; }

}  // namespace

bool Int8Matrix::supported() { return byte_kernels() != nullptr; }

Int8Matrix::Int8Matrix(const float* weight, std::int64_t outputs, std::int64_t inputs)
    : inputs_(inputs) {
  const auto groups = groups_of(inputs);
  const auto panels = (outputs + kPanel - 1) / kPanel;
  panels_.assign(static_cast<std::size_t>(panels * groups * kGroup * kPanel), kByteOffset);
  scales_.resize(static_cast<std::size_t>(outputs));
  const auto row_size = static_cast<std::size_t>(inputs);
  std::vector<std::int8_t> row(row_size);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(groups * kGroup), kByteOffset);
  for (std::int64_t n = 0; n < outputs; ++n) {
    scales_[static_cast<std::size_t>(n)] = quantize_row({weight + n * inputs, row_size}, row);
    for (std::size_t i = 0; i < row_size; ++i)
      bytes[i] = static_cast<std::uint8_t>(kByteOffset + row[i]);
    auto* to = panels_.data() + n / kPanel * groups * kGroup * kPanel + n % kPanel * kGroup;
    for (std::int64_t group = 0; group < groups; ++group)
      std::memcpy(to + group * kGroup * kPanel, bytes.data() + group * kGroup, kGroup);
  }
}

void Int8Matrix::multiply(const MatrixInput& input, const MatrixOutput& output) const {
  byte_kernels()->multiply({panels_.data(), scales_.data(), groups_of(inputs_)}, input, output);
}

Quantized quantize(const float* x, std::int64_t count, std::int8_t* bytes) {
  return byte_kernels()->quantize(x, count, bytes);
}

MatrixInput quantize_rows(const float* x, std::int64_t rows, std::int64_t inputs,
                          QuantizedRows& memory) {
  const auto& kernels = *byte_kernels();
  const auto width = padded_inputs(inputs);
  make_room(memory.bytes, rows * width);
  make_room(memory.scales, rows);
  make_room(memory.sums, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto quantized =
        kernels.quantize_inputs(x + row * inputs, inputs, memory.bytes.data() + row * width);
    memory.scales.data()[row] = quantized.scale;
    memory.sums.data()[row] = quantized.sum;
  }
  return {.x = x,
          .rows = rows,
          .bytes = memory.bytes.data(),
          .scales = memory.scales.data(),
          .sums = memory.sums.data()};
}

}  // namespace surtitle
