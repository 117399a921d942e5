// A block of model/cpu/kv_cache.h in 8 bits, and attention to such blocks (AVX512-VNNI).
//
//   keys [H][d / 4][16][4], their scales [H][16], values [H][4][d][4], their scales [H][16]
//
// One scale for each position and head (see quantize() in model/cpu/int8_matrix.h); a byte is
// stored with 128 added. Four components of a key stand side by side, and four positions of a
// value's component, as an instruction sums them.
//
// Scores are sums of the query's bytes times the keys'. Weights are multiplied with the values'
// scales and rounded to 1/32639 of a head's largest, 256 high + low, so that the values' sums are
// ones of integers too: exact, and in any order the same.
#pragma once

#include "model/cpu/cached_attention.h"

namespace surtitle {

std::size_t byte_block_size(int heads, int d);

// Key and value [C] of position `lane` in the block. REQUIRES, as the next:
// Int8Matrix::supported().
void write_bytes(const KvCache::Shape& shape, std::byte* block, int lane, const float* key,
                 const float* value, KvCache::Scratch& scratch);

// Scores of all heads, into task.scores; then what follows them.
void score_bytes(const CachedAttention& task, KvCache::Scratch& scratch);
void mix_bytes(const CachedAttention& task, KvCache::Scratch& scratch);

}  // namespace surtitle
