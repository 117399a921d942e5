// Cached keys and values of one attention layer, on the CPU.
//
// Every sentence under way has a slot, a row of blocks of 16 positions. In a block, one vector load
// reads one component of 16 keys, so scores need no sums across a vector. A query reads its visible
// prefix in place: no copy, padding or mask, and its result does not depend on its batch.
//
// A block is keys [H][d][16] and values [16][C] in float32. model/cpu/int8_kv_cache.h has the
// layout in 8 bits.
//
// The system allocates memory when a position is first written; see bytes_per_position().
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
    std::vector<std::int32_t> offsets;  // contribution to the scores of the 128 added to each key
    std::vector<std::int8_t> weights;   // of values: [H][2][positions]
  };

  // Writes key and value [C] of a position.
  void write(int slot, int position, const float* key, const float* value, Scratch& scratch);

  // Copies the first `positions` of slot `from` to slot `to`.
  void copy(int from, int to, int positions);

  // Input and output of attend(): context = (scale softmax(scores + bias) + added) values. Scores
  // are the dot products of query and keys, or, if `additive` is v, sum_c v_c tanh(query_c + key_c)
  // in each head.
  struct Query {
    int slot = 0;
    const float* query = nullptr;  // [C], scaled
    const float* bias = nullptr;   // bias, scale, added: [visible], or nullptr
    int visible = 0;               // at least 1
    float* context = nullptr;      // [C], written
    float* weights = nullptr;      // [H, visible], or nullptr; receives the values' weights
    const float* scale = nullptr;
    const float* added = nullptr;
    int head_stride = 0;              // bias, scale and added of head h begin h * head_stride
                                      // after the first head's; 0: one for all heads
    const float* additive = nullptr;  // [C], or nullptr
  };
  void attend(const Query& query, Scratch& scratch) const;

  // Computes only the scores, [H, visible], without bias.
  void score(const Query& query, Scratch& scratch, float* scores) const;

  // Ends the slot's sentence of `positions`. Releases the memory of all but the first 64 positions.
  void release(int slot, int positions);

  std::size_t bytes_per_position() const;

 private:
  // Computes a query's scores [H, visible rounded up to whole blocks] into the task's.
  CachedAttention find_scores(const Query& query, Scratch& scratch) const;
  std::byte* block(int slot, std::int64_t position) const;

  Shape shape_;
  Precision precision_;
  std::size_t block_size_ = 0;
  std::size_t slot_size_ = 0;
  DemandPagedMemory memory_;
};

}  // namespace surtitle
