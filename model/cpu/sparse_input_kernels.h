// The kernels of model/cpu/sparse_input_matrix.h, in terms of one set of instructions.
//
// Only a source of model/cpu/byte_kernels.h includes this, after model/cpu/int8_matrix_kernels.h.
// It has defined:
//
//   Bytes                      a vector of one register
//   broadcast(bytes, four)     loads four bytes into each lane of four
//   interleave(four)           four vectors a, b, c and d become a0 b0 c0 d0 a1 b1 ... within each
//                              16 bytes: the first vector has elements 0 to 3, the last 12 to 15
//   add_fours(sums, weights, inputs)  adds the sums of four products, of inputs from 0 to 127
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/cpu/int8_matrix_kernels.h"
#include "model/cpu/sparse_input_matrix.h"

namespace surtitle {
namespace {

// For each set of eight bits, the places of those that are one, the lowest byte first.
constexpr std::array<std::uint64_t, 256> make_places_of_bits() {
  std::array<std::uint64_t, 256> all{};
  for (std::uint64_t bits = 0; bits < all.size(); ++bits) {
    int shift = 0;
    for (std::uint64_t place = 0; place < 8; ++place) {
      if ((bits >> place & 1) == 0) continue;
      all[bits] |= place << shift;
      shift += 8;
    }
  }
  return all;
}
constexpr auto kPlacesOfBits = make_places_of_bits();

// Returns eight bytes in another order.
SURTITLE_OPERATION std::uint64_t shuffled(std::uint64_t bytes, std::uint64_t order) {
#if defined(__x86_64__)
  const __m128i eight = _mm_cvtsi64_si128(static_cast<std::int64_t>(bytes));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(
      _mm_shuffle_epi8(eight, _mm_cvtsi64_si128(static_cast<std::int64_t>(order)))));
#else
  return vget_lane_u64(vreinterpret_u64_u8(vtbl1_u8(vcreate_u8(bytes), vcreate_u8(order))), 0);
#endif
}

SURTITLE_TARGET std::int32_t collect(std::int8_t* bytes, std::int64_t count,
                                     std::uint16_t* places) {
  using EightBytes = std::uint8_t __attribute__((vector_size(8)));
  using EightPlaces = std::uint16_t __attribute__((vector_size(16)));
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::int32_t kept = 0;
  for (std::int64_t i = 0; i < count; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes + i, sizeof(eight));
    eight &= 0x7F * kOnes;  // no byte has the highest bit, unless an input is not finite
    // A byte above zero carries into its highest bit. The product moves these bits to the top.
    const std::uint64_t above = (eight + 0x7F * kOnes) >> 7 & kOnes;
    const std::uint64_t bits = above * 0x0102040810204080 >> 56;
    const std::uint64_t order = kPlacesOfBits[bits];
    const std::uint64_t front = shuffled(eight, order);
    std::memcpy(bytes + kept, &front, sizeof(front));
    EightBytes within;
    std::memcpy(&within, &order, sizeof(within));
    const EightPlaces at =
        __builtin_convertvector(within, EightPlaces) + static_cast<std::uint16_t>(i);
    std::memcpy(places + kept, &at, sizeof(at));
    kept += std::popcount(bits);
  }
  for (; kept % kSparseGroup != 0; ++kept) {
    bytes[kept] = 0;
    places[kept] = 0;
  }
  return kept;
}

// With fewer rows, most of what is prefetched would not be read.
constexpr std::int64_t kMinRowsToPrefetch = 8;

// Computes the 64 outputs from `first` of one row. Every loop over vectors is unrolled, so that the
// sums stay in registers.
SURTITLE_OPERATION void multiply_sparse_row(const SparseInputPanels& panels,
                                            const MatrixInput& input, const MatrixOutput& output,
                                            std::int64_t row, std::int64_t first) {
  constexpr std::ptrdiff_t kVector = sizeof(Bytes);
  constexpr std::ptrdiff_t kOfPanel = kSparsePanel / kVector;
  const auto width = padded_inputs(panels.inputs);
  const std::int8_t* x = input.bytes + row * width;
  const std::uint16_t* places = input.places + row * width;
  const std::int8_t* begin = panels.bytes + (output.first + first) * panels.inputs;
  const std::int32_t count = input.counts[row];
  Ints sums[kOfPanel][4];
  SURTITLE_UNROLL
  for (auto& of_vector : sums) {
    SURTITLE_UNROLL
    for (auto& sum : of_vector) sum = Ints{};
  }
  for (std::int32_t at = 0; at < count; at += kSparseGroup) {
    Bytes inputs;
    broadcast(inputs, x + at);
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kOfPanel; ++v) {
      Bytes weights[4];
      SURTITLE_UNROLL
      for (std::ptrdiff_t i = 0; i < 4; ++i)
        std::memcpy(&weights[i], begin + places[at + i] * kSparsePanel + v * kVector, kVector);
      interleave(weights);
      SURTITLE_UNROLL
      for (std::ptrdiff_t i = 0; i < 4; ++i) add_fours(sums[v][i], weights[i], inputs);
    }
  }
  // A quarter of a vector of 64 bytes has the sums of four outputs in succession.
  constexpr std::ptrdiff_t kQuarter = 16;
  std::int32_t in_order[kSparsePanel];
  SURTITLE_UNROLL
  for (std::ptrdiff_t v = 0; v < kOfPanel; ++v) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t i = 0; i < 4; ++i) {
      SURTITLE_UNROLL
      for (std::ptrdiff_t part = 0; part < kVector; part += kQuarter)
        std::memcpy(in_order + v * kVector + part + i * 4,
                    reinterpret_cast<const std::byte*>(&sums[v][i]) + part, kQuarter);
    }
  }
  for (std::ptrdiff_t at = 0; at < kSparsePanel && first + at < output.count;
       at += kVectors * kLane) {
    Ints tile[1][kVectors];
    std::memcpy(&tile, in_order + at, sizeof(tile));
    finish<0, 1, kVectors>(tile, panels.scales, input, output, row, first + at);
  }
}

// A panel's weights stay in cache for all rows. A row reads them in an order that a CPU does not
// detect, so the next panel is prefetched, a part of it with each row.
SURTITLE_TARGET void multiply_sparse(const SparseInputPanels& panels, const MatrixInput& input,
                                     const MatrixOutput& output) {
  const std::int64_t lines = panels.inputs / std::max<std::int64_t>(input.rows, 1) + 1;
  for (std::int64_t first = 0; first < output.count; first += kSparsePanel) {
    const std::int8_t* next = panels.bytes + (output.first + first + kSparsePanel) * panels.inputs;
    const bool prefetches = first + kSparsePanel < output.count && input.rows >= kMinRowsToPrefetch;
    for (std::int64_t row = 0; row < input.rows; ++row) {
      if (prefetches)
        for (std::int64_t line = row * lines; line < std::min((row + 1) * lines, panels.inputs);
             ++line)
          __builtin_prefetch(next + line * kSparsePanel, 0, 2);
      multiply_sparse_row(panels, input, output, row, first);
    }
  }
}

}  // namespace
}  // namespace surtitle
