// The 8-bit engine's kernels: one table for each set of instructions that multiplies bytes.
//
// All tables compute the same integer sums and round the same way, and a matrix product has the
// same bits with each. Weights, keys and values lie in memory in one layout, with 128 added; those
// of a SparseInputMatrix have another one, signed.
//
// A table's source (byte_kernels_avx2.cpp and the like) defines the few operations that differ. It
// then includes int8_matrix_kernels.h, int8_kv_cache_kernels.h and sparse_input_kernels.h, which
// are written in terms of them.
#pragma once

#include <cstdint>

#include "model/cpu/cached_attention.h"
#include "model/cpu/instruction_set.h"
#include "model/cpu/int8_matrix.h"

namespace surtitle {

// The weights of an Int8Matrix.
struct BytePanels {
  const std::uint8_t* bytes;  // [outputs / 16][groups][16][4]
  const float* scales;        // [outputs]
  std::int64_t groups;        // padded_inputs(inputs) / kGroup
};

// The weights of a SparseInputMatrix.
struct SparseInputPanels {
  const std::int8_t* bytes;  // [outputs / 64][inputs][64]
  const float* scales;       // [outputs]
  std::int64_t inputs;
};

struct ByteKernels {
  const char* instructions;  // for people
  // REQUIRES: input.bytes from quantize_inputs(). Larger ones overflow AVX2's sums of 16 bits.
  void (*multiply)(const BytePanels& panels, const MatrixInput& input, const MatrixOutput& output);
  // Rounds x [count] to `to` [padded_inputs(count)], with zeros at the end; see int8_matrix.h.
  Quantized (*quantize_inputs)(const float* x, std::int64_t count, std::int8_t* to);
  Quantized (*quantize)(const float* x, std::int64_t count, std::int8_t* bytes);
  // See model/cpu/sparse_input_matrix.h. Moves the bytes above zero to the front, writes their
  // places, adds zeros up to a multiple of four, and returns the number of bytes in front, these
  // zeros included. REQUIRES: bytes from 0 to 127; `count` a multiple of eight, up to 2^16.
  std::int32_t (*collect)(std::int8_t* bytes, std::int64_t count, std::uint16_t* places);
  // REQUIRES: input.bytes and input.places from collect(); `output.first` a multiple of 64.
  void (*multiply_sparse)(const SparseInputPanels& panels, const MatrixInput& input,
                          const MatrixOutput& output);
  // See model/cpu/int8_kv_cache.h.
  void (*write)(const KvCache::Shape& shape, std::byte* block, int lane, const float* key,
                const float* value, KvCache::Scratch& scratch);
  void (*score)(const CachedAttention& task, KvCache::Scratch& scratch);
  void (*mix)(const CachedAttention& task, KvCache::Scratch& scratch);
};

// Returns the table for exactly these instructions, or nullptr if there is none or the CPU lacks
// them.
const ByteKernels* byte_kernels(InstructionSet instructions);

// Returns the table for the best instructions up to instruction_set(), or nullptr if there is none.
const ByteKernels* byte_kernels();

// The tables, for any CPU; nullptr on another architecture.
const ByteKernels* avx2_kernels();
const ByteKernels* avx_vnni_kernels();
const ByteKernels* avx512_vnni_kernels();
const ByteKernels* dot_product_kernels();

}  // namespace surtitle
