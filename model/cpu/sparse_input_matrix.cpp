#include "model/cpu/sparse_input_matrix.h"

#include <algorithm>

#include "model/cpu/byte_kernels.h"
#include "model/util/row_quantization.h"

namespace surtitle {

SparseInputMatrix::SparseInputMatrix(const float* weight, std::int64_t outputs, std::int64_t inputs)
    : inputs_(inputs) {
  const auto panels = (outputs + kSparsePanel - 1) / kSparsePanel;
  panels_.assign(static_cast<std::size_t>(panels * inputs * kSparsePanel), 0);
  scales_.resize(static_cast<std::size_t>(outputs));
  const auto row_size = static_cast<std::size_t>(inputs);
  std::vector<std::int8_t> row(row_size);
  for (std::int64_t n = 0; n < outputs; ++n) {
    scales_[static_cast<std::size_t>(n)] = quantize_row({weight + n * inputs, row_size}, row);
    auto* to = panels_.data() + n / kSparsePanel * inputs * kSparsePanel + n % kSparsePanel;
    for (const std::int8_t byte : row) {
      *to = byte;
      to += kSparsePanel;
    }
  }
}

void SparseInputMatrix::multiply(const MatrixInput& input, const MatrixOutput& output) const {
  byte_kernels()->multiply_sparse({panels_.data(), scales_.data(), inputs_}, input, output);
}

MatrixInput collect_rows(const float* x, std::int64_t rows, std::int64_t inputs,
                         QuantizedRows& memory) {
  const auto& kernels = *byte_kernels();
  const auto width = padded_inputs(inputs);
  make_room(memory.bytes, rows * width);
  make_room(memory.places, rows * width);
  make_room(memory.scales, rows);
  make_room(memory.counts, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int8_t* bytes = memory.bytes.data() + row * width;
    memory.scales.data()[row] = kernels.quantize(x + row * inputs, inputs, bytes).scale;
    std::fill(bytes + inputs, bytes + width, std::int8_t{0});
    memory.counts.data()[row] = kernels.collect(bytes, width, memory.places.data() + row * width);
  }
  return {.x = x,
          .rows = rows,
          .bytes = memory.bytes.data(),
          .scales = memory.scales.data(),
          .places = memory.places.data(),
          .counts = memory.counts.data()};
}

}  // namespace surtitle
