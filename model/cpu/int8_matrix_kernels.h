// The kernels of model/cpu/int8_matrix.h, in terms of one set of instructions.
//
// Only a source of model/cpu/byte_kernels.h includes this, after it has defined:
//
//   SURTITLE_TARGET            attribute of a function that uses the instructions
//   SURTITLE_OPERATION         the same for a function that is always inlined
//   Floats, Ints               vectors of one register
//   kRows, kVectors            sums of a tile: rows of x times vectors of outputs
//   kFewVectors                vectors of outputs of a tile of one or two rows
//   Weights, Inputs            bytes of one register, for attention
//   load_weights(weights, from)  loads stored weights: four inputs' for each lane
//   load_inputs(inputs, four)  loads four inputs into each lane
//   add_products(sums, weights, inputs)  adds the sum of their products to each lane, exactly
//   PanelWeights, PanelInputs  the same for matrices, of kGroupsAtOnce groups of four inputs; with
//                              load_weights(), load_inputs() and add_products()
//   kWeightOffset, kPanelOffset  added to each weight that is loaded: 128 or 0
//   store_lowest_bytes(to, ints)  stores one byte of each lane
//   store_four(to, ints)       the same for four vectors, of numbers from -127 to 127
//   larger_of(floats, floats)  in each lane
//   total(ints), largest_lane(floats)  of the lanes
//   rounded(floats)            rounds to the nearest integer, ties to even
//   multiply_add(a, b, c)      a b + c, rounded once
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "model/cpu/byte_kernels.h"
#include "model/cpu/simd.h"

namespace surtitle {
namespace {

constexpr std::ptrdiff_t kLane = kLanes<Floats>;
constexpr std::ptrdiff_t kPanelBytes = kPanel * kGroup;
constexpr std::ptrdiff_t kVectorBytes = sizeof(Ints);
constexpr std::int64_t kFewRows = 2;
static_assert(kInputBlock % (kGroupsAtOnce * kGroup) == 0);
static_assert(kInputBlock == kLanes<HalfVector>);

SURTITLE_OPERATION Floats to_floats(const Ints& ints) {
  return __builtin_convertvector(ints, Floats);
}

SURTITLE_OPERATION Floats magnitude(const Floats& x) {
  Ints bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits &= 0x7FFFFFFF;
  Floats result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

// Stores the lowest bytes of the first `left` lanes.
SURTITLE_OPERATION void store_bytes(std::int8_t* to, const Ints& ints, std::ptrdiff_t left) {
  if (left >= kLane) {
    store_lowest_bytes(to, ints);
    return;
  }
  std::int8_t bytes[kLane];
  store_lowest_bytes(bytes, ints);
  std::memcpy(to, bytes, static_cast<std::size_t>(left));
}

// Writes the sums of a tile as y. kOffset is what was added to each weight. Every loop is unrolled,
// so that the sums stay in registers.
template <int kOffset, int kTileRows, int kTileVectors>
SURTITLE_OPERATION void finish_tile(const Ints (&sums)[kTileRows][kTileVectors],
                                    const float* scales, const MatrixInput& input,
                                    const MatrixOutput& output, std::int64_t row,
                                    std::int64_t first) {
  Floats of_outputs[kTileVectors];
  Floats biases[kTileVectors];
  SURTITLE_UNROLL
  for (std::ptrdiff_t v = 0; v < kTileVectors; ++v) {
    const std::int64_t at = output.first + first + v * kLane;
    load(of_outputs[v], scales + at);
    biases[v] = Floats{};
    if (output.bias) load(biases[v], output.bias + at);
  }
  SURTITLE_UNROLL
  for (std::ptrdiff_t r = 0; r < kTileRows; ++r) {
    const float scale = input.scales[row + r];
    const std::int32_t offset = kOffset == 0 ? 0 : kOffset * input.sums[row + r];
    float* to = output.y + (row + r) * output.stride + first;
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kTileVectors; ++v) {
      Floats y = multiply_add(to_floats(sums[r][v] - offset), of_outputs[v] * scale, biases[v]);
      if (output.epilogue == Epilogue::kRelu) y = y > 0.0F ? y : Floats{};
      if (output.epilogue == Epilogue::kAdd) {
        Floats before;
        load(before, to + v * kLane);
        y += before;
      }
      store(to + v * kLane, y);
    }
  }
}

// The same for a tile of which only the first `count` outputs exist.
template <int kOffset, int kTileRows, int kTileVectors>
SURTITLE_OPERATION void finish_part(const Ints (&sums)[kTileRows][kTileVectors],
                                    const float* scales, const MatrixInput& input,
                                    const MatrixOutput& output, std::int64_t row,
                                    std::int64_t first, std::int64_t count) {
  constexpr std::ptrdiff_t kWidth = kTileVectors * kLane;
  float of_outputs[kWidth] = {};
  float bias[kWidth] = {};
  float y[kTileRows][kWidth] = {};
  const std::int64_t at = output.first + first;
  std::copy_n(scales + at, count, of_outputs);
  if (output.bias) std::copy_n(output.bias + at, count, bias);
  float* of_row = output.y + row * output.stride + first;
  if (output.epilogue == Epilogue::kAdd) {
    for (std::ptrdiff_t r = 0; r < kTileRows; ++r)
      std::copy_n(of_row + r * output.stride, count, y[r]);
  }
  finish_tile<kOffset, kTileRows, kTileVectors>(
      sums, of_outputs,
      {.scales = input.scales + row, .sums = kOffset == 0 ? nullptr : input.sums + row},
      {.bias = bias, .count = kWidth, .y = y[0], .stride = kWidth, .epilogue = output.epilogue}, 0,
      0);
  for (std::ptrdiff_t r = 0; r < kTileRows; ++r)
    std::copy_n(y[r], count, of_row + r * output.stride);
}

// Writes the sums of a tile whose last outputs may not exist.
template <int kOffset, int kTileRows, int kTileVectors>
SURTITLE_OPERATION void finish(const Ints (&sums)[kTileRows][kTileVectors], const float* scales,
                               const MatrixInput& input, const MatrixOutput& output,
                               std::int64_t row, std::int64_t first) {
  const std::int64_t left = output.count - first;
  if (left >= kTileVectors * kLane) {
    finish_tile<kOffset, kTileRows, kTileVectors>(sums, scales, input, output, row, first);
  } else {
    finish_part<kOffset, kTileRows, kTileVectors>(sums, scales, input, output, row, first, left);
  }
}

// Multiplies rows of x by vectors of outputs, with the sums in registers.
template <int kTileRows, int kTileVectors>
SURTITLE_OPERATION void multiply_tile(const BytePanels& panels, const MatrixInput& input,
                                      const MatrixOutput& output, std::int64_t row,
                                      std::int64_t first) {
  constexpr std::ptrdiff_t kOfPanel = kPanel / kLane;  // vectors
  const auto groups = panels.groups;
  const std::int8_t* x = input.bytes + row * groups * kGroup;
  const std::int64_t output_at = output.first + first;
  const std::uint8_t* begin =
      panels.bytes + output_at / kPanel * groups * kPanelBytes + output_at % kPanel * kGroup;
  Ints sums[kTileRows][kTileVectors];
  SURTITLE_UNROLL
  for (std::ptrdiff_t r = 0; r < kTileRows; ++r) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kTileVectors; ++v) sums[r][v] = Ints{};
  }
  for (std::int64_t group = 0; group < groups; group += kGroupsAtOnce) {
    PanelWeights weights[kTileVectors];
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kTileVectors; ++v)
      load_weights(weights[v], begin + (v / kOfPanel * groups + group) * kPanelBytes +
                                   v % kOfPanel * kVectorBytes);
    SURTITLE_UNROLL
    for (std::ptrdiff_t r = 0; r < kTileRows; ++r) {
      PanelInputs inputs;
      load_inputs(inputs, x + (r * groups + group) * kGroup);
      SURTITLE_UNROLL
      for (std::ptrdiff_t v = 0; v < kTileVectors; ++v)
        add_products(sums[r][v], weights[v], inputs);
    }
  }
  finish<kPanelOffset, kTileRows, kTileVectors>(sums, panels.scales, input, output, row, first);
}

template <int kTileRows, int kTileVectors>
SURTITLE_OPERATION void multiply_rows(const BytePanels& panels, const MatrixInput& input,
                                      const MatrixOutput& output, std::int64_t row,
                                      std::int64_t first, std::int64_t rows) {
  if (rows == kTileRows) {
    multiply_tile<kTileRows, kTileVectors>(panels, input, output, row, first);
  } else if constexpr (kTileRows > 1) {
    multiply_rows<kTileRows - 1, kTileVectors>(panels, input, output, row, first, rows);
  }
}

// Computes outputs from `first` in whole tiles; returns the first one that it has not computed.
template <int kTileRows, int kTileVectors>
SURTITLE_OPERATION std::int64_t multiply_outputs(const BytePanels& panels, const MatrixInput& input,
                                                 const MatrixOutput& output, std::int64_t first) {
  for (; first + (kTileVectors - 1) * kLane < output.count; first += kTileVectors * kLane)
    for (std::int64_t row = 0; row < input.rows; row += kTileRows)
      multiply_rows<kTileRows, kTileVectors>(panels, input, output, row, first,
                                             std::min<std::int64_t>(kTileRows, input.rows - row));
  return first;
}

// A tile's weights stay in cache for all rows.
SURTITLE_TARGET void multiply(const BytePanels& panels, const MatrixInput& input,
                              const MatrixOutput& output) {
  const auto first = input.rows <= kFewRows
                         ? multiply_outputs<kFewRows, kFewVectors>(panels, input, output, 0)
                         : multiply_outputs<kRows, kVectors>(panels, input, output, 0);
  multiply_outputs<kRows, 1>(panels, input, output, first);
}

// Writes x / scale, rounded, to `bytes` [count]. REQUIRES: that the quotients fit a byte.
SURTITLE_OPERATION Quantized round_to(float scale, const float* x, std::int64_t count,
                                      std::int8_t* bytes) {
  // A row of numbers that are nearly zero becomes one of zeros: the inverse of a subnormal scale
  // may be infinite.
  const float factor = scale >= std::numeric_limits<float>::min() ? 1 / scale : 0;
  Floats values;
  Ints sums = {};
  std::int64_t i = 0;
  for (; i + 4 * kLane <= count; i += 4 * kLane) {
    Ints four[4];
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < 4; ++v) {
      load(values, x + i + v * kLane);
      four[v] = rounded(values * factor);
      sums += four[v];
    }
    store_four(bytes + i, four);
  }
  for (; i < count; i += kLane) {
    load_part(values, x + i, count - i);
    const Ints whole = rounded(values * factor);
    sums += whole;
    store_bytes(bytes + i, whole, count - i);
  }
  return {scale, total(sums)};
}

SURTITLE_TARGET Quantized quantize_bytes(const float* x, std::int64_t count, std::int8_t* bytes) {
  constexpr float kMaxByte = 127;
  Floats largest = {};
  Floats values;
  for (std::int64_t i = 0; i < count; i += kLane) {
    load_part(values, x + i, count - i);
    largest = larger_of(largest, magnitude(values));
  }
  return round_to(largest_lane(largest) / kMaxByte, x, count, bytes);
}

// Replaces each of eight numbers with the sum of the four that share 16 bits with it.
SURTITLE_OPERATION void sum_fours(HalfVector& eight) {
  eight += __builtin_shufflevector(eight, eight, 1, 0, 3, 2, 5, 4, 7, 6);
  eight += __builtin_shufflevector(eight, eight, 4, 5, 6, 7, 0, 1, 2, 3);
}

// Eight lanes on every CPU, so that all add in the same order and find the same scale.
SURTITLE_TARGET Quantized quantize_inputs(const float* x, std::int64_t count, std::int8_t* to) {
  HalfVector largest = {};
  HalfVector values;
  for (std::int64_t i = 0; i < count; i += kInputBlock) {
    load_part(values, x + i, count - i);
    HalfVector positive = values > 0 ? values : HalfVector{};
    HalfVector negative = positive - values;
    sum_fours(positive);
    sum_fours(negative);
    largest = positive > largest ? positive : largest;
    largest = negative > largest ? negative : largest;
  }
  std::fill(to + count, to + padded_inputs(count), std::int8_t{0});
  return round_to(largest_of(largest) / kMaxUnroundedSum, x, count, to);
}

}  // namespace
}  // namespace surtitle
