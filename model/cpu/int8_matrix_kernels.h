// The kernels of model/cpu/int8_matrix.h, in terms of one set of instructions.
//
// Only a source of model/cpu/byte_kernels.h includes this, after it has defined:
//
//   SURTITLE_TARGET            attribute of a function that uses the instructions
//   SURTITLE_OPERATION         the same for a function that is always inlined
//   Floats, Ints               vectors of one register
//   kRows, kVectors            sums of a tile: rows of x times vectors of outputs
//   kFewRows, kFewVectors      the same for one or two rows
//   Weights, Inputs            bytes of one register, for attention
//   PanelWeights, PanelInputs  the same for matrices
//   load_weights(weights, from)  loads stored weights: four inputs' for each lane
//   kWeightOffset, kPanelOffset  added to each weight that it loads: 128 or 0
//   load_inputs(inputs, four)  loads four inputs into each lane
//   add_products(sums, weights, inputs)  adds the sum of four products to each lane, exactly
//   load_panel(weights, from, part)  the same for matrices, in kParts parts of a group's inputs
//   kInputSize                 bytes that an input of a matrix takes
//   spread_inputs(bytes, n)    brings n bytes into the form of PanelInputs, in the same memory
//   store_lowest_bytes(to, ints)  stores one byte of each lane
//   larger_of(floats, floats)  in each lane
//   total(ints), largest_lane(floats)  of the lanes
//   rounded(floats)            rounds to the nearest integer, ties to even
//   multiply_add(a, b, c)      a b + c, rounded once
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/cpu/byte_kernels.h"
#include "model/cpu/simd.h"

namespace surtitle {
namespace {

constexpr std::ptrdiff_t kLane = kLanes<Floats>;
constexpr std::ptrdiff_t kGroup = 4;  // inputs that one operation multiplies
constexpr std::ptrdiff_t kPanelBytes = kPanel * kGroup;
constexpr std::ptrdiff_t kVectorBytes = sizeof(Ints);

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

// Writes the tile's sums as y, one vector of outputs from `first` in each row.
template <int kTileRows, int kTileVectors>
SURTITLE_OPERATION void finish_tile(const Ints (&sums)[kTileRows][kTileVectors],
                                    const BytePanels& panels, const MatrixInput& input,
                                    const MatrixOutput& output, std::int64_t row,
                                    std::int64_t first) {
  for (std::ptrdiff_t v = 0; v < kTileVectors; ++v) {
    const std::int64_t left = output.count - first - v * kLane;
    if (left <= 0) return;
    const std::int64_t at = output.first + first + v * kLane;
    Floats scale;
    load_part(scale, panels.scales + at, left);
    Floats bias = {};
    if (output.bias) load_part(bias, output.bias + at, left);
    for (std::ptrdiff_t r = 0; r < kTileRows; ++r) {
      Ints sum = sums[r][v];
      if constexpr (kPanelOffset != 0) sum -= kPanelOffset * input.sums[row + r];
      Floats y = multiply_add(to_floats(sum), scale * input.scales[row + r], bias);
      float* to = output.y + (row + r) * output.stride + first + v * kLane;
      if (output.epilogue == Epilogue::kRelu) y = y > 0.0F ? y : Floats{};
      if (output.epilogue == Epilogue::kAdd) {
        Floats before;
        load_part(before, to, left);
        y += before;
      }
      store_part(to, y, left);
    }
  }
}

// Multiplies rows of x by vectors of outputs, with the sums in registers.
template <int kTileRows, int kTileVectors>
SURTITLE_OPERATION void multiply_tile(const BytePanels& panels, const MatrixInput& input,
                                      const MatrixOutput& output, std::int64_t row,
                                      std::int64_t first) {
  constexpr std::ptrdiff_t kOfPanel = kPanel / kLane;  // vectors
  const auto groups = panels.groups;
  constexpr std::ptrdiff_t kInputs = kGroup * kInputSize;  // bytes of a group
  const std::int8_t* x = input.bytes + row * groups * kInputs;
  const std::int64_t output_at = output.first + first;
  const std::uint8_t* begin =
      panels.bytes + output_at / kPanel * groups * kPanelBytes + output_at % kPanel * kGroup;
  Ints running[kTileRows][kTileVectors];
  SURTITLE_UNROLL
  for (std::ptrdiff_t r = 0; r < kTileRows; ++r) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kTileVectors; ++v) running[r][v] = Ints{};
  }
  for (std::int64_t group = 0; group < groups; ++group) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t part = 0; part < kParts; ++part) {
      PanelWeights weights[kTileVectors];
      SURTITLE_UNROLL
      for (std::ptrdiff_t v = 0; v < kTileVectors; ++v)
        load_panel(
            weights[v],
            begin + (v / kOfPanel * groups + group) * kPanelBytes + v % kOfPanel * kVectorBytes,
            part);
      SURTITLE_UNROLL
      for (std::ptrdiff_t r = 0; r < kTileRows; ++r) {
        PanelInputs inputs;
        load_inputs(inputs, x + (r * groups + group) * kInputs + part * kGroup);
        SURTITLE_UNROLL
        for (std::ptrdiff_t v = 0; v < kTileVectors; ++v)
          add_products(running[r][v], weights[v], inputs);
      }
    }
  }
  // The loops of finish_tile() are not unrolled and keep their array in memory, so they use a copy.
  Ints sums[kTileRows][kTileVectors];
  SURTITLE_UNROLL
  for (std::ptrdiff_t r = 0; r < kTileRows; ++r) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kTileVectors; ++v) sums[r][v] = running[r][v];
  }
  finish_tile<kTileRows, kTileVectors>(sums, panels, input, output, row, first);
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
  const auto first = input.rows < 3
                         ? multiply_outputs<kFewRows, kFewVectors>(panels, input, output, 0)
                         : multiply_outputs<kRows, kVectors>(panels, input, output, 0);
  multiply_outputs<kRows, 1>(panels, input, output, first);
}

SURTITLE_TARGET Quantized quantize_bytes(const float* x, std::int64_t count, std::int8_t* bytes) {
  constexpr float kMaxByte = 127;
  Floats largest = {};
  Floats values;
  for (std::int64_t i = 0; i < count; i += kLane) {
    load_part(values, x + i, count - i);
    largest = larger_of(largest, magnitude(values));
  }
  const float scale = largest_lane(largest) / kMaxByte;
  const float factor = scale > 0 ? 1 / scale : 0;
  Ints sums = {};
  for (std::int64_t i = 0; i < count; i += kLane) {
    load_part(values, x + i, count - i);
    const Ints whole = rounded(values * factor);
    sums += whole;
    store_bytes(bytes + i, whole, count - i);
  }
  return {scale, total(sums)};
}

SURTITLE_TARGET Quantized quantize_inputs(const float* x, std::int64_t count, std::int8_t* to) {
  const auto quantized = quantize_bytes(x, count, to);
  const auto whole = (count + kGroup - 1) / kGroup * kGroup;
  std::fill(to + count, to + whole, std::int8_t{0});
  spread_inputs(to, whole);
  return quantized;
}

}  // namespace
}  // namespace surtitle
