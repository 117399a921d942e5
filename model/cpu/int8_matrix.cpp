#include "model/cpu/int8_matrix.h"

#include <algorithm>
#include <cstring>

#include "model/cpu/simd.h"
#include "model/cpu/vnni.h"
#include "model/util/row_quantization.h"

namespace surtitle {
namespace {

constexpr int kGroup = 4;  // inputs that one instruction multiplies

std::int64_t groups_of(std::int64_t inputs) { return (inputs + kGroup - 1) / kGroup; }

#if defined(SURTITLE_VNNI)

struct Weights {
  const std::uint8_t* panels;
  const float* scales;
  std::int64_t groups;
};

// Multiplies kRows rows of x by kPanels panels, with the sums in registers.
template <int kRows, int kPanels>
SURTITLE_VNNI [[gnu::always_inline]] inline void multiply_tile(const Weights& weights,
                                                               const MatrixInput& input,
                                                               const MatrixOutput& output,
                                                               std::int64_t row,
                                                               std::int64_t first) {
  const auto groups = weights.groups;
  const std::int8_t* x = input.bytes + row * groups * kGroup;
  const std::uint8_t* panels = weights.panels + (output.first + first) * groups * kGroup;
  __m512i running[kRows][kPanels];
  SURTITLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (int p = 0; p < kPanels; ++p) running[r][p] = _mm512_setzero_si512();
  }
  for (std::int64_t group = 0; group < groups; ++group) {
    __m512i weight[kPanels];
    SURTITLE_UNROLL
    for (int p = 0; p < kPanels; ++p)
      weight[p] = _mm512_load_si512(panels + (p * groups + group) * kPanel * kGroup);
    SURTITLE_UNROLL
    for (int r = 0; r < kRows; ++r) {
      std::int32_t four;
      std::memcpy(&four, x + (r * groups + group) * kGroup, sizeof(four));
      const __m512i inputs = _mm512_set1_epi32(four);
      SURTITLE_UNROLL
      for (int p = 0; p < kPanels; ++p)
        running[r][p] = _mm512_dpbusd_epi32(running[r][p], weight[p], inputs);
    }
  }
  // The loops below are not unrolled and keep their array in memory, so they use a copy.
  __m512i sums[kRows][kPanels];
  SURTITLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    SURTITLE_UNROLL
    for (int p = 0; p < kPanels; ++p) sums[r][p] = running[r][p];
  }
  for (int p = 0; p < kPanels; ++p) {
    const auto at = output.first + first + p * kPanel;
    const auto left = std::min(kPanel, output.count - first - p * kPanel);
    const auto there = static_cast<__mmask16>((1U << left) - 1);
    const __m512 scale = _mm512_maskz_loadu_ps(there, weights.scales + at);
    const __m512 bias =
        output.bias ? _mm512_maskz_loadu_ps(there, output.bias + at) : _mm512_setzero_ps();
    for (int r = 0; r < kRows; ++r) {
      const __m512i sum =
          _mm512_sub_epi32(sums[r][p], _mm512_set1_epi32(kByteOffset * input.sums[row + r]));
      const __m512 scales = _mm512_mul_ps(scale, _mm512_set1_ps(input.scales[row + r]));
      __m512 y = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scales, bias);
      float* to = output.y + (row + r) * output.stride + first + p * kPanel;
      if (output.epilogue == Epilogue::kRelu) y = _mm512_max_ps(y, _mm512_setzero_ps());
      if (output.epilogue == Epilogue::kAdd) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(there, to));
      _mm512_mask_storeu_ps(to, there, y);
    }
  }
}

template <int kRows, int kPanels>
SURTITLE_VNNI [[gnu::always_inline]] inline void multiply_rows(const Weights& weights,
                                                               const MatrixInput& input,
                                                               const MatrixOutput& output,
                                                               std::int64_t row, std::int64_t first,
                                                               std::int64_t rows) {
  if (rows == kRows) {
    multiply_tile<kRows, kPanels>(weights, input, output, row, first);
  } else if constexpr (kRows > 1) {
    multiply_rows<kRows - 1, kPanels>(weights, input, output, row, first, rows);
  }
}

template <int kRows, int kPanels>
SURTITLE_VNNI [[gnu::always_inline]] inline std::int64_t multiply_panels(const Weights& weights,
                                                                         const MatrixInput& input,
                                                                         const MatrixOutput& output,
                                                                         std::int64_t first) {
  for (; first + (kPanels - 1) * kPanel < output.count; first += kPanels * kPanel)
    for (std::int64_t row = 0; row < input.rows; row += kRows)
      multiply_rows<kRows, kPanels>(weights, input, output, row, first,
                                    std::min<std::int64_t>(kRows, input.rows - row));
  return first;
}

// A tile's panels stay in cache for all rows. A single row has few sums in a tile, so it takes more
// panels at once to hide an instruction's latency.
SURTITLE_VNNI void multiply_all(const Weights& weights, const MatrixInput& input,
                                const MatrixOutput& output) {
  const auto first = input.rows < 3 ? multiply_panels<2, 8>(weights, input, output, 0)
                                    : multiply_panels<6, 4>(weights, input, output, 0);
  multiply_panels<6, 1>(weights, input, output, first);
}

SURTITLE_VNNI Quantized quantize_bytes(const float* x, std::int64_t count, std::int8_t* bytes) {
  const auto mask = [&](std::int64_t i) {
    return static_cast<__mmask16>(count - i >= kPanel ? 0xFFFFU : (1U << (count - i)) - 1);
  };
  __m512 largest = _mm512_setzero_ps();
  for (std::int64_t i = 0; i < count; i += kPanel)
    largest = _mm512_max_ps(largest, _mm512_abs_ps(_mm512_maskz_loadu_ps(mask(i), x + i)));
  constexpr float kMaxByte = 127;
  const float scale = _mm512_reduce_max_ps(largest) / kMaxByte;
  const __m512 factor = _mm512_set1_ps(scale > 0 ? 1 / scale : 0);
  __m512i sums = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < count; i += kPanel) {
    const __m512i values =
        _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_maskz_loadu_ps(mask(i), x + i), factor));
    sums = _mm512_add_epi32(sums, values);
    _mm_mask_storeu_epi8(bytes + i, mask(i), _mm512_cvtsepi32_epi8(values));
  }
  return {scale, _mm512_reduce_add_epi32(sums)};
}

#endif

}  // namespace

bool Int8Matrix::supported() { return has_vnni(); }

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

void Int8Matrix::multiply([[maybe_unused]] const MatrixInput& input,
                          [[maybe_unused]] const MatrixOutput& output) const {
#if defined(SURTITLE_VNNI)
  multiply_all({panels_.data(), scales_.data(), groups_of(inputs_)}, input, output);
#endif
}

Quantized quantize([[maybe_unused]] const float* x, [[maybe_unused]] std::int64_t count,
                   [[maybe_unused]] std::int8_t* bytes) {
#if defined(SURTITLE_VNNI)
  return quantize_bytes(x, count, bytes);
#else
  return {};
#endif
}

MatrixInput quantize_rows(const float* x, std::int64_t rows, std::int64_t inputs,
                          QuantizedRows& memory) {
  const auto width = groups_of(inputs) * kGroup;
  const auto enough = [](auto& values, std::int64_t size) {
    if (values.size() < static_cast<std::size_t>(size))
      values.resize(static_cast<std::size_t>(size));
  };
  enough(memory.bytes, rows * width);
  enough(memory.scales, rows);
  enough(memory.sums, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    auto* bytes = memory.bytes.data() + row * width;
    std::fill(bytes + inputs, bytes + width, std::int8_t{0});
    const auto quantized = quantize(x + row * inputs, inputs, bytes);
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
