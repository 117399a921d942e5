#include "model/packed_matrix.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>

#include "model/simd.h"

namespace surtitle {
namespace {

constexpr std::int64_t kPanel = PackedMatrix::kPanel;
static_assert(kPanel == kFloatVector);

using Product = PackedMatrix::Product;

// kRows rows of x times kPanels panels, sums held in registers.
template <int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_tile(const float* panels, std::int64_t inputs,
                                                 const Product& product, std::int64_t row,
                                                 std::int64_t first) {
  std::array<std::array<FloatVector, kPanels>, kRows> sums = {};
  if (product.bias) {
    for (int p = 0; p < kPanels; ++p) {
      const auto at = product.first + first + p * kPanel;
      const auto there = std::min(kPanel, product.first + product.count - at);
      FloatVector bias = {};
      std::memcpy(&bias, product.bias + at, static_cast<std::size_t>(there) * sizeof(float));
      for (int r = 0; r < kRows; ++r) sums[r][p] = bias;
    }
  }
  const float* x = product.x + row * inputs;
  const float* weights = panels + (product.first + first) * inputs;
  for (std::int64_t i = 0; i < inputs; ++i) {
    std::array<FloatVector, kPanels> weight;
    for (int p = 0; p < kPanels; ++p) load(weight[p], weights + (p * inputs + i) * kPanel);
    for (int r = 0; r < kRows; ++r)
      for (int p = 0; p < kPanels; ++p) sums[r][p] += weight[p] * x[r * inputs + i];
  }
  for (int r = 0; r < kRows; ++r) {
    float* y = product.y + (row + r) * product.stride + first;
    for (int p = 0; p < kPanels; ++p) {
      const auto there = std::min(kPanel, product.count - first - p * kPanel);
      std::memcpy(y + p * kPanel, &sums[r][p], static_cast<std::size_t>(there) * sizeof(float));
    }
  }
}

template <int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_rows(const float* panels, std::int64_t inputs,
                                                 const Product& product, std::int64_t row,
                                                 std::int64_t first, std::int64_t rows) {
  if (rows == kRows) {
    multiply_tile<kRows, kPanels>(panels, inputs, product, row, first);
  } else if constexpr (kRows > 1) {
    multiply_rows<kRows - 1, kPanels>(panels, inputs, product, row, first, rows);
  }
}

// kRows x kPanels sums at once; the panels of a tile stay in cache while all rows go by.
template <int kRows, int kPanels>
[[gnu::always_inline]] inline void multiply_all(const float* panels, std::int64_t inputs,
                                                const Product& product) {
  std::int64_t first = 0;
  for (; first + kPanels * kPanel <= product.count; first += kPanels * kPanel)
    for (std::int64_t row = 0; row < product.rows; row += kRows)
      multiply_rows<kRows, kPanels>(panels, inputs, product, row, first,
                                    std::min<std::int64_t>(kRows, product.rows - row));
  for (; first < product.count; first += kPanel)
    for (std::int64_t row = 0; row < product.rows; row += kRows)
      multiply_rows<kRows, 1>(panels, inputs, product, row, first,
                              std::min<std::int64_t>(kRows, product.rows - row));
}

void multiply_plain(const float* panels, std::int64_t inputs, const Product& product) {
  multiply_all<2, 1>(panels, inputs, product);
}

SURTITLE_AVX2
void multiply_avx2(const float* panels, std::int64_t inputs, const Product& product) {
  multiply_all<6, 1>(panels, inputs, product);
}

SURTITLE_AVX512
void multiply_avx512(const float* panels, std::int64_t inputs, const Product& product) {
  multiply_all<6, 4>(panels, inputs, product);
}

}  // namespace

void PackedMatrix::Free::operator()(float* memory) const { std::free(memory); }

PackedMatrix::PackedMatrix(const float* weight, std::int64_t outputs, std::int64_t inputs)
    : outputs_(outputs), inputs_(inputs) {
  const auto panels = (outputs + kPanel - 1) / kPanel;
  const auto size = static_cast<std::size_t>(panels * inputs * kPanel) * sizeof(float);
  panels_.reset(static_cast<float*>(std::aligned_alloc(sizeof(FloatVector), size)));
  if (!panels_) throw std::bad_alloc();
  std::memset(panels_.get(), 0, size);
  for (std::int64_t n = 0; n < outputs; ++n) {
    float* to = panels_.get() + n / kPanel * inputs * kPanel + n % kPanel;
    for (std::int64_t i = 0; i < inputs; ++i) to[i * kPanel] = weight[n * inputs + i];
  }
}

void PackedMatrix::multiply(const Product& product) const {
  static const auto chosen = for_this_cpu(multiply_plain, multiply_avx2, multiply_avx512);
  chosen(panels_.get(), inputs_, product);
}

}  // namespace surtitle
