#include "model/packed_matrix.h"

#include <algorithm>
#include <cstddef>

#include "model/simd.h"

namespace surtitle {
namespace {

static_assert(kPanel == kFloatVector);

struct Panels {
  const float* weights;
  std::int64_t inputs;
};

[[gnu::always_inline]] inline void finish(FloatVector& sum, Then then, const FloatVector& before) {
  if (then == Then::kRelu) sum = sum > 0.0F ? sum : sum * 0.0F;
  if (then == Then::kAdd) sum += before;
}

// kRows rows of x times kPanels panels, sums held in registers.
template <int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_tile(const Panels& panels, const MatrixInput& input,
                                                 const MatrixOutput& output, std::int64_t row,
                                                 std::int64_t first) {
  const auto inputs = panels.inputs;
  const auto there = [&](int p) {
    return static_cast<std::size_t>(std::min(kPanel, output.count - first - p * kPanel)) *
           sizeof(float);
  };
  FloatVector running[kRows][kPanels];
  SURTITLE_UNROLL
  for (int p = 0; p < kPanels; ++p) {
    FloatVector bias = {};
    if (output.bias) std::memcpy(&bias, output.bias + output.first + first + p * kPanel, there(p));
    SURTITLE_UNROLL
    for (int r = 0; r < kRows; ++r) running[r][p] = bias;
  }
  const float* x = input.x + row * inputs;
  const float* weights = panels.weights + (output.first + first) * inputs;
  for (std::int64_t i = 0; i < inputs; ++i) {
    FloatVector weight[kPanels];
    SURTITLE_UNROLL
    for (int p = 0; p < kPanels; ++p) load(weight[p], weights + (p * inputs + i) * kPanel);
    SURTITLE_UNROLL
    for (int r = 0; r < kRows; ++r) {
      SURTITLE_UNROLL
      for (int p = 0; p < kPanels; ++p) running[r][p] += weight[p] * x[r * inputs + i];
    }
  }
  // The loops below are not unrolled and keep their array in memory, so they get a copy.
  FloatVector sums[kRows][kPanels];
  SURTITLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (int p = 0; p < kPanels; ++p) sums[r][p] = running[r][p];
  }
  for (int r = 0; r < kRows; ++r) {
    float* y = output.y + (row + r) * output.stride + first;
    for (int p = 0; p < kPanels; ++p) {
      FloatVector before = {};
      if (output.then == Then::kAdd) std::memcpy(&before, y + p * kPanel, there(p));
      finish(sums[r][p], output.then, before);
      std::memcpy(y + p * kPanel, &sums[r][p], there(p));
    }
  }
}

template <int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_rows(const Panels& panels, const MatrixInput& input,
                                                 const MatrixOutput& output, std::int64_t row,
                                                 std::int64_t first, std::int64_t rows) {
  if (rows == kRows) {
    multiply_tile<kRows, kPanels>(panels, input, output, row, first);
  } else if constexpr (kRows > 1) {
    multiply_rows<kRows - 1, kPanels>(panels, input, output, row, first, rows);
  }
}

// kRows x kPanels sums at once; the panels of a tile stay in cache while all rows go by.
template <int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_all(const Panels& panels, const MatrixInput& input,
                                                const MatrixOutput& output) {
  std::int64_t first = 0;
  for (; first + kPanels * kPanel <= output.count; first += kPanels * kPanel)
    for (std::int64_t row = 0; row < input.rows; row += kRows)
      multiply_rows<kRows, kPanels>(panels, input, output, row, first,
                                    std::min<std::int64_t>(kRows, input.rows - row));
  for (; first < output.count; first += kPanel)
    for (std::int64_t row = 0; row < input.rows; row += kRows)
      multiply_rows<kRows, 1>(panels, input, output, row, first,
                              std::min<std::int64_t>(kRows, input.rows - row));
}

void multiply_plain(const Panels& panels, const MatrixInput& input, const MatrixOutput& output) {
  multiply_all<2, 1>(panels, input, output);
}

SURTITLE_AVX2
void multiply_avx2(const Panels& panels, const MatrixInput& input, const MatrixOutput& output) {
  multiply_all<6, 1>(panels, input, output);
}

SURTITLE_AVX512
void multiply_avx512(const Panels& panels, const MatrixInput& input, const MatrixOutput& output) {
  multiply_all<6, 4>(panels, input, output);
}

}  // namespace

PackedMatrix::PackedMatrix(const float* weight, std::int64_t outputs, std::int64_t inputs)
    : outputs_(outputs), inputs_(inputs) {
  const auto panels = (outputs + kPanel - 1) / kPanel;
  panels_.resize(static_cast<std::size_t>(panels * inputs * kPanel));
  for (std::int64_t n = 0; n < outputs; ++n) {
    float* to = panels_.data() + n / kPanel * inputs * kPanel + n % kPanel;
    for (std::int64_t i = 0; i < inputs; ++i) to[i * kPanel] = weight[n * inputs + i];
  }
}

void PackedMatrix::multiply(const MatrixInput& input, const MatrixOutput& output) const {
  static const auto chosen = for_this_cpu(multiply_plain, multiply_avx2, multiply_avx512);
  chosen({panels_.data(), inputs_}, input, output);
}

}  // namespace surtitle
