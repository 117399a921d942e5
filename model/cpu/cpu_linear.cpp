#include "model/cpu/cpu_linear.h"

#include <utility>

namespace surtitle {

CpuLinear::CpuLinear(const std::vector<float>& weight, std::vector<float> bias, std::int64_t inputs,
                     Precision precision, LinearInputs kind)
    : bias_(std::move(bias)) {
  const auto outputs = static_cast<std::int64_t>(weight.size()) / inputs;
  if (precision != Precision::kInt8) {
    matrix_ = PackedMatrix(weight.data(), outputs, inputs);
  } else if (kind == LinearInputs::kAfterRelu && inputs <= kMaxSparseInputs) {
    matrix_ = SparseInputMatrix(weight.data(), outputs, inputs);
  } else {
    matrix_ = Int8Matrix(weight.data(), outputs, inputs);
  }
}

std::int64_t CpuLinear::outputs() const {
  return std::visit([](const auto& matrix) { return matrix.outputs(); }, matrix_);
}

MatrixInput CpuLinear::prepare(const float* x, std::int64_t rows, QuantizedRows& memory) const {
  if (const auto* bytes = std::get_if<Int8Matrix>(&matrix_))
    return quantize_rows(x, rows, bytes->inputs(), memory);
  if (const auto* sparse = std::get_if<SparseInputMatrix>(&matrix_))
    return collect_rows(x, rows, sparse->inputs(), memory);
  return {.x = x, .rows = rows};
}

void CpuLinear::multiply(const MatrixInput& input, MatrixOutput output) const {
  output.bias = bias_.empty() ? nullptr : bias_.data();
  std::visit([&](const auto& matrix) { matrix.multiply(input, output); }, matrix_);
}

void CpuLinear::operator()(const float* x, std::int64_t rows, float* y, QuantizedRows& memory,
                           Epilogue epilogue) const {
  const auto count = outputs();
  multiply(prepare(x, rows, memory),
           {.first = 0, .count = count, .y = y, .stride = count, .epilogue = epilogue});
}

}  // namespace surtitle
