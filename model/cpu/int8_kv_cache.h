// Cached keys and values in 8 bits, and attention to them (AVX512-VNNI).
//
// The layout of a block of model/cpu/kv_cache.h:
//
//   keys [H][d / 4][16][4], their scales [H][16], values [H][4][d][4], their scales [H][16]
//
// There is one scale for each position and head (see quantize() in model/cpu/int8_matrix.h). A byte
// is stored with 128 added. Four components of a key are adjacent, and four positions of a value's
// component, because one instruction sums them.
//
// Scores are sums of the query's bytes times the keys'. Weights are multiplied by the values'
// scales. Each is stored as two bytes, 256 high + low, in units of 1/32639 of the head's largest
// weight (32639 = 127 * 257). The sums of values are therefore sums of integers, too: exact, and
// equal in any order.
//
// Thread-safety: different slots may be used by different threads.
#pragma once

#include "model/cpu/cached_attention.h"

namespace surtitle {

std::size_t byte_block_size(int heads, int d);

// Writes key and value [C] of position `lane` in the block. REQUIRES, here and below:
// Int8Matrix::supported().
void write_bytes(const KvCache::Shape& shape, std::byte* block, int lane, const float* key,
                 const float* value, KvCache::Scratch& scratch);

// score_bytes() computes the scores of all heads into task.scores; mix_bytes() turns them into the
// context.
void score_bytes(const CachedAttention& task, KvCache::Scratch& scratch);
void mix_bytes(const CachedAttention& task, KvCache::Scratch& scratch);

}  // namespace surtitle
