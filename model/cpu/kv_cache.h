// Keys and values of one attention layer for sentences under way, on the CPU, and attention to
// them.
//
// Every sentence has a slot. A slot is a row of blocks of 16 positions, in which keys lie so that
// one vector load brings one component of 16 keys: scores need no sums across a vector. A query
// reads the prefix that it may see where it lies; nothing is gathered, padded or masked, and its
// result does not depend on its batch.
//
// A block is keys [H][d][16] and values [16][C] in float32; model/cpu/int8_kv_cache.h has that in 8
// bits.
//
// Memory is handed out as positions are first written; see bytes_per_position().
//
// Thread-safety: different slots may be used by different threads.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cpu/cpu_linear.h"
#include "model/util/demand_paged_memory.h"

namespace surtitle {

struct CachedAttention;

class KvCache {
 public:
  struct Shape {
    int slots = 0;
    int positions = 0;  // of the longest sentence
    int heads = 0;
    int d = 0;  // C = heads * d
  };

  // REQUIRES: for kInt8, Int8Matrix::supported().
  KvCache(const Shape& shape, Precision precision);

  // One thread's scratch memory; grows as needed.
  struct Scratch {
    std::vector<float> scores;
    std::vector<std::int8_t> bytes;     // of a key, or of the query's heads
    std::vector<float> scales;          // of the query's heads
    std::vector<std::int32_t> offsets;  // what the 128 added to each key adds to their scores
    std::vector<std::int8_t> weights;   // of values: [H][2][positions]
  };

  // Key and value [C] of a position.
  void write(int slot, int position, const float* key, const float* value, Scratch& scratch);

  // context = (scale softmax(scores + bias) + added) values. Scores are the dot products of query
  // and keys, or with v = additive, sum_c v_c tanh(query_c + key_c) in each head.
  struct Query {
    int slot = 0;
    const float* query = nullptr;  // [C], scaled
    const float* bias = nullptr;   // as scale and added: [visible], or none
    int visible = 0;               // at least 1
    float* context = nullptr;      // [C], written
    float* weights = nullptr;  // [H, visible], written where given: what values are weighted with
    const float* scale = nullptr;
    const float* added = nullptr;
    int head_stride = 0;              // bias, scale and added of head h begin so many times h
                                      // behind the first head's; 0: one for all
    const float* additive = nullptr;  // [C], or none
  };
  void attend(const Query& query, Scratch& scratch) const;

  // The scores alone, [H, visible], without bias.
  void score(const Query& query, Scratch& scratch, float* scores) const;

  // The slot's sentence, of `positions`, is over: all but the first 64 positions' memory goes back.
  void release(int slot, int positions);

  std::size_t bytes_per_position() const;

 private:
  // Leaves a query's scores [H, visible rounded up to whole blocks] in the task's.
  CachedAttention find_scores(const Query& query, Scratch& scratch) const;
  std::byte* block(int slot, std::int64_t position) const;

  Shape shape_;
  Precision precision_;
  std::size_t block_size_ = 0;
  std::size_t slot_size_ = 0;
  DemandPagedMemory memory_;
};

}  // namespace surtitle
