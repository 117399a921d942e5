// Parts of attention to cached keys and values, for both precisions.
//
// Only the sources of model/cpu/kv_cache.h include it. Thread-safety: different slots may be used
// by different threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/cpu/kv_cache.h"
#include "model/cpu/simd.h"

namespace surtitle {

constexpr int kCacheBlock = kFloatVector;  // positions

// One query and the cache blocks of its slot.
struct CachedAttention {
  const std::byte* blocks;  // of the slot, from position 0
  std::size_t block_size;   // bytes
  std::ptrdiff_t heads;     // H
  std::ptrdiff_t d;         // channels of a head
  KvCache::Query query;
  float* scores;  // [H, padded(query.visible)]
};

inline std::int64_t padded(std::int64_t visible) {
  return (visible + kCacheBlock - 1) / kCacheBlock * kCacheBlock;
}

// Turns scores of one head [padded] into unnormalised weights; returns the inverse of their sum. A
// weight below e^-60 of the largest becomes 0: it changes no sum, and products of numbers near the
// smallest float are many times slower.
template <typename Vector>
[[gnu::always_inline]] inline float exp_weights(float* scores, const float* bias, int visible) {
  constexpr int kStep = kLanes<Vector>;
  IntsOf<Vector> lanes;
  for (int lane = 0; lane < kStep; ++lane) lanes[lane] = lane;
  constexpr float kLowest = -1e38F;  // after the prefix: far below every score
  constexpr float kNothing = -60;
  Vector largest = Vector{} + kLowest;
  Vector score;
  for (int first = 0; first < visible; first += kStep) {
    load(score, scores + first);
    if (bias) {
      Vector added = {};
      if (first + kStep <= visible) {
        load(added, bias + first);
      } else {
        std::memcpy(&added, bias + first,
                    static_cast<std::size_t>(visible - first) * sizeof(float));
      }
      score += added;
    }
    score = lanes + first < visible ? score : Vector{} + kLowest;
    largest = score > largest ? score : largest;
    store(scores + first, score);
  }
  const float highest = largest_of(largest);
  Vector sums = {};
  for (int first = 0; first < visible; first += kStep) {
    load(score, scores + first);
    score -= highest;
    const Vector exponent = score;
    exponential(score);
    score = exponent < kNothing ? Vector{} : score;
    sums += score;
    store(scores + first, score);
  }
  return 1 / sum_of(sums);
}

// Copies the head's weights, normalised, to the query's `weights` if requested.
inline void show_weights(const CachedAttention& task, std::ptrdiff_t head, const float* scores,
                         float inverse) {
  if (!task.query.weights) return;
  float* weights = task.query.weights + head * task.query.visible;
  for (int j = 0; j < task.query.visible; ++j) weights[j] = scores[j] * inverse;
}

// Applies scale * softmax + added, if requested, to weights from exp_weights(). Returns the factor
// by which they must still be multiplied.
[[gnu::always_inline]] inline float blend(float* weights, float inverse,
                                          const KvCache::Query& query, std::ptrdiff_t head) {
  if (!query.scale && !query.added) return inverse;
  const std::ptrdiff_t at = head * query.head_stride;
  for (int j = 0; j < query.visible; ++j) {
    weights[j] *= inverse;
    if (query.scale) weights[j] *= query.scale[at + j];
    if (query.added) weights[j] += query.added[at + j];
  }
  return 1;
}

inline const float* bias_of(const KvCache::Query& query, std::ptrdiff_t head) {
  return query.bias ? query.bias + head * query.head_stride : nullptr;
}

// Adds a component's part of additive scores.
template <typename Vector>
[[gnu::always_inline]] inline void add_tangent(Vector& sum, Vector& key, float query,
                                               float factor) {
  key += query;
  hyperbolic_tangent(key);
  sum += key * factor;
}

}  // namespace surtitle
