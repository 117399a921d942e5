#include "model/cpu/packed_matrix.h"

#include <algorithm>
#include <cstddef>

#include "model/cpu/simd.h"

namespace surtitle {
namespace {

// GCC keeps a vector in registers only if one register holds it: half a panel has AVX2's width.
static_assert(kPanel == kFloatVector);

template <typename Vector>
constexpr int kLanes = static_cast<int>(sizeof(Vector) / sizeof(float));

struct Panels {
  const float* weights;
  std::int64_t inputs;
};

template <typename Vector>
[[gnu::always_inline]] inline void finish(Vector& sum, Epilogue epilogue, const Vector& before) {
  if (epilogue == Epilogue::kRelu) sum = sum > 0.0F ? sum : sum * 0.0F;
  if (epilogue == Epilogue::kAdd) sum += before;
}

// Multiplies kRows rows of x by kPanels panels, with the sums in registers.
template <typename Vector, int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_tile(const Panels& panels, const MatrixInput& input,
                                                 const MatrixOutput& output, std::int64_t row,
                                                 std::int64_t first) {
  constexpr int kOfPanel = kPanel / kLanes<Vector>;  // vectors
  constexpr int kVectors = kPanels * kOfPanel;
  const auto inputs = panels.inputs;
  const auto there = [&](int v) {
    const std::int64_t left = output.count - first - v * kLanes<Vector>;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(left, 0, kLanes<Vector>)) *
           sizeof(float);
  };
  Vector running[kRows][kVectors];
  SURTITLE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    Vector bias = {};
    if (output.bias)
      std::memcpy(&bias, output.bias + output.first + first + v * kLanes<Vector>, there(v));
    SURTITLE_UNROLL
    for (int r = 0; r < kRows; ++r) running[r][v] = bias;
  }
  const float* x = input.x + row * inputs;
  const float* weights = panels.weights + (output.first + first) * inputs;
  for (std::int64_t i = 0; i < inputs; ++i) {
    Vector weight[kVectors];
    SURTITLE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const float* from = weights + (v / kOfPanel * inputs + i) * kPanel;
      std::memcpy(&weight[v], from + v % kOfPanel * kLanes<Vector>, sizeof(Vector));
    }
    SURTITLE_UNROLL
    for (int r = 0; r < kRows; ++r) {
      SURTITLE_UNROLL
      for (int v = 0; v < kVectors; ++v) running[r][v] += weight[v] * x[r * inputs + i];
    }
  }
  // The loops below are not unrolled and keep their array in memory, so they use a copy.
  Vector sums[kRows][kVectors];
  SURTITLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[r][v] = running[r][v];
  }
  for (int r = 0; r < kRows; ++r) {
    float* y = output.y + (row + r) * output.stride + first;
    for (int v = 0; v < kVectors && there(v) > 0; ++v) {
      Vector before = {};
      if (output.epilogue == Epilogue::kAdd) std::memcpy(&before, y + v * kLanes<Vector>, there(v));
      finish(sums[r][v], output.epilogue, before);
      std::memcpy(y + v * kLanes<Vector>, &sums[r][v], there(v));
    }
  }
}

template <typename Vector, int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_rows(const Panels& panels, const MatrixInput& input,
                                                 const MatrixOutput& output, std::int64_t row,
                                                 std::int64_t first, std::int64_t rows) {
  if (rows == kRows) {
    multiply_tile<Vector, kRows, kPanels>(panels, input, output, row, first);
  } else if constexpr (kRows > 1) {
    multiply_rows<Vector, kRows - 1, kPanels>(panels, input, output, row, first, rows);
  }
}

// Computes kRows x kPanels sums at once; the panels of a tile stay in cache for all rows.
template <typename Vector, int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_all(const Panels& panels, const MatrixInput& input,
                                                const MatrixOutput& output) {
  std::int64_t first = 0;
  for (; first + kPanels * kPanel <= output.count; first += kPanels * kPanel)
    for (std::int64_t row = 0; row < input.rows; row += kRows)
      multiply_rows<Vector, kRows, kPanels>(panels, input, output, row, first,
                                            std::min<std::int64_t>(kRows, input.rows - row));
  for (; first < output.count; first += kPanel)
    for (std::int64_t row = 0; row < input.rows; row += kRows)
      multiply_rows<Vector, kRows, 1>(panels, input, output, row, first,
                                      std::min<std::int64_t>(kRows, input.rows - row));
}

void multiply_plain(const Panels& panels, const MatrixInput& input, const MatrixOutput& output) {
  multiply_all<FloatVector, 2, 1>(panels, input, output);
}

SURTITLE_AVX2
void multiply_avx2(const Panels& panels, const MatrixInput& input, const MatrixOutput& output) {
  multiply_all<HalfVector, 6, 1>(panels, input, output);
}

SURTITLE_AVX512
void multiply_avx512(const Panels& panels, const MatrixInput& input, const MatrixOutput& output) {
  multiply_all<FloatVector, 6, 4>(panels, input, output);
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
