// The kernels of model/cpu/int8_kv_cache.h, in terms of one set of instructions.
//
// Only a source of model/cpu/byte_kernels.h includes this; int8_matrix_kernels.h lists what it
// defines before, and also:
//
//   kMixedHeads, kMixedVectors  sums of values: heads times vectors of components, each twice
#pragma once

#include <algorithm>
#include <array>

#include "model/cpu/int8_kv_cache.h"
#include "model/cpu/int8_matrix_kernels.h"

namespace surtitle {
namespace {

constexpr std::ptrdiff_t kBlock = kCacheBlock;
constexpr std::ptrdiff_t kGroups = kBlock / kGroup;
constexpr std::ptrdiff_t kOfBlock = kBlock / kLane;  // vectors of positions
constexpr std::ptrdiff_t kAhead = 2;                 // blocks to prefetch
constexpr std::ptrdiff_t kLine = 64;                 // bytes of a cache line
constexpr int kOffsets =
    static_cast<int>(0x80808080);  // inverts the highest bits: adds 128 to each byte

inline const std::byte* block_of(const CachedAttention& task, std::ptrdiff_t position) {
  return task.blocks + static_cast<std::size_t>(position / kBlock) * task.block_size;
}

// Returns the bytes of keys or values of one head in a block.
inline std::ptrdiff_t head_size(std::ptrdiff_t d) {
  return kBlock * ((d + kGroup - 1) / kGroup * kGroup);
}

// Prefetching early shortens the wait for memory; the hardware's own prefetch ends at each page.
[[gnu::always_inline]] inline void fetch(const std::byte* from, std::ptrdiff_t bytes) {
  for (std::ptrdiff_t at = 0; at < bytes; at += kLine) __builtin_prefetch(from + at);
}

// Adds four components of 16 keys times those of the query to `sums`.
SURTITLE_OPERATION void add_components(Ints (&sums)[kOfBlock], const std::byte* keys,
                                       const std::int8_t* query, std::ptrdiff_t group) {
  Inputs inputs;
  load_inputs(inputs, query + group * kGroup);
  SURTITLE_UNROLL
  for (std::ptrdiff_t v = 0; v < kOfBlock; ++v) {
    Weights four;
    load_weights(four, keys + group * kGroup * kBlock + v * kVectorBytes);
    add_products(sums[v], four, inputs);
  }
}

// Computes scores of all heads: [H, padded]. It reads blocks from front to back, in the order of
// memory.
SURTITLE_TARGET void score_dot(const CachedAttention& task, const ByteBlock& layout,
                               KvCache::Scratch& scratch) {
  const auto& query = task.query;
  const std::ptrdiff_t groups = (task.d + kGroup - 1) / kGroup;
  const auto stride = padded(query.visible);
  std::int8_t* bytes = scratch.bytes.data();
  for (std::ptrdiff_t h = 0; h < task.heads; ++h) {
    std::int8_t* of_head = bytes + h * groups * kGroup;
    std::fill_n(of_head, groups * kGroup, std::int8_t{0});
    const auto at = static_cast<std::size_t>(h);
    const auto quantized = quantize_bytes(query.query + h * task.d, task.d, of_head);
    scratch.scales[at] = quantized.scale;
    scratch.offsets[at] = kWeightOffset * quantized.sum;
  }
  for (std::ptrdiff_t first = 0; first < query.visible; first += kBlock) {
    const auto* block = block_of(task, first);
    const auto* key_scales = reinterpret_cast<const float*>(block + layout.key_scales);
    for (std::ptrdiff_t h = 0; h < task.heads; ++h) {
      const auto* keys = block + h * head_size(task.d);
      if (first + kAhead * kBlock < query.visible)
        fetch(keys + kAhead * task.block_size, head_size(task.d));
      const auto* of_head = bytes + h * groups * kGroup;
      Ints even[kOfBlock] = {};
      Ints odd[kOfBlock] = {};
      for (std::ptrdiff_t group = 0; group + 1 < groups; group += 2) {
        add_components(even, keys, of_head, group);
        add_components(odd, keys, of_head, group + 1);
      }
      if (groups % 2 != 0) add_components(even, keys, of_head, groups - 1);
      const auto at = static_cast<std::size_t>(h);
      SURTITLE_UNROLL
      for (std::ptrdiff_t v = 0; v < kOfBlock; ++v) {
        Floats scale;
        load(scale, key_scales + h * kBlock + v * kLane);
        const Ints dot = even[v] + odd[v] - scratch.offsets[at];
        const Floats scores = to_floats(dot) * (scale * scratch.scales[at]);
        store(task.scores + h * stride + first + v * kLane, scores);
      }
    }
  }
}

// Computes additive scores of all heads, from dequantised keys.
SURTITLE_TARGET void score_additive(const CachedAttention& task, const ByteBlock& layout) {
  const auto& query = task.query;
  const auto stride = padded(query.visible);
  for (std::ptrdiff_t first = 0; first < query.visible; first += kLane) {
    const auto* block = block_of(task, first);
    const std::ptrdiff_t lane_of_block = first % kBlock;
    const auto* key_scales = reinterpret_cast<const float*>(block + layout.key_scales);
    for (std::ptrdiff_t h = 0; h < task.heads; ++h) {
      const auto* keys = reinterpret_cast<const std::uint8_t*>(block) + h * head_size(task.d);
      Floats scales;
      load(scales, key_scales + h * kBlock + lane_of_block);
      Floats sum = {};
      for (std::ptrdiff_t c = 0; c < task.d; ++c) {
        const auto* bytes = keys + c / kGroup * kGroup * kBlock + lane_of_block * kGroup;
        Ints four;
        std::memcpy(&four, bytes, sizeof(four));
        const Ints byte = four >> static_cast<int>(8 * (c % kGroup)) & 0xFF;
        Floats key = to_floats(byte - kByteOffset) * scales;
        add_tangent(sum, key, query.query[h * task.d + c], query.additive[h * task.d + c]);
      }
      store(task.scores + h * stride + first, sum);
    }
  }
}

// Returns the values of four positions from `position`: [d][4]. The next head's follow 16 d bytes
// later.
inline const std::byte* values_of(const CachedAttention& task, const ByteBlock& layout,
                                  std::ptrdiff_t head, std::ptrdiff_t position) {
  return block_of(task, position) + layout.values +
         (head * kGroups + position % kBlock / kGroup) * task.d * kGroup;
}

// A head's weights in two bytes each, so that the values' sums are sums of integers. A weight is
// scale * (256 high + low).
struct ByteWeights {
  const std::int8_t* high;   // [padded]
  const std::int8_t* low;    // [padded]
  std::int32_t high_offset;  // contribution to the sums of what is added to each value
  std::int32_t low_offset;
  float scale;
};

// Splits weights [padded] into high and low, the largest at +-32639.
SURTITLE_TARGET ByteWeights split_weights(const float* weights, std::ptrdiff_t count, float largest,
                                          std::int8_t* high, std::int8_t* low) {
  constexpr float kMax = 127 * 256 + 127;
  constexpr float kMin = 1e-30F;  // a smaller one would make the factor overflow
  const float factor = largest > kMin ? kMax / largest : 0;
  Ints high_sum = {};
  Ints low_sum = {};
  for (std::ptrdiff_t first = 0; first < count; first += kLane) {
    Floats weight;
    load(weight, weights + first);
    const Ints whole = rounded(weight * factor);
    const Ints upper = (whole + 128) >> 8;
    const Ints lower = whole - upper * 256;
    high_sum += upper;
    low_sum += lower;
    store_bytes(high + first, upper, kLane);
    store_bytes(low + first, lower, kLane);
  }
  return {.high = high,
          .low = low,
          .high_offset = kWeightOffset * total(high_sum),
          .low_offset = kWeightOffset * total(low_sum),
          .scale = largest / kMax};
}

// Turns scores of a head into weights of the values' bytes: softmax times the values' scales.
SURTITLE_TARGET ByteWeights weigh_bytes(const CachedAttention& task, const ByteBlock& layout,
                                        std::ptrdiff_t head, KvCache::Scratch& scratch) {
  const int visible = task.query.visible;
  const auto stride = padded(visible);
  float* weights = task.scores + head * stride;
  for (std::ptrdiff_t first = 0; first < std::min<std::ptrdiff_t>(visible, kAhead * kBlock);
       first += kBlock)
    fetch(values_of(task, layout, head, first), head_size(task.d));
  float left = exp_weights<Floats>(weights, bias_of(task.query, head), visible);
  left = blend(weights, left, task.query, head);
  show_weights(task, head, weights, left);
  Ints lanes;
  for (std::ptrdiff_t lane = 0; lane < kLane; ++lane) lanes[lane] = static_cast<int>(lane);
  Floats largest = {};
  for (std::ptrdiff_t first = 0; first < stride; first += kLane) {
    const auto* block = block_of(task, first);
    const auto* scales =
        reinterpret_cast<const float*>(block + layout.value_scales) + head * kBlock;
    Floats weight;
    Floats scale;
    load(weight, weights + first);
    load(scale, scales + first % kBlock);
    // Bytes after the prefix may have any value; their weight is 0.
    weight = lanes + static_cast<int>(first) < visible ? weight * scale : Floats{};
    largest = larger_of(largest, magnitude(weight));
    store(weights + first, weight);
  }
  std::int8_t* high = scratch.weights.data() + 2 * head * stride;
  auto result = split_weights(weights, stride, largest_lane(largest), high, high + stride);
  result.scale *= left;
  return result;
}

// Computes the context of heads from `head`, a number of vectors of components from c of each.
template <int kHeads, int kVectorsOfHead>
SURTITLE_OPERATION void add_values(const CachedAttention& task, const ByteBlock& layout,
                                   const ByteWeights* weights, std::ptrdiff_t head,
                                   std::ptrdiff_t c) {
  const std::ptrdiff_t of_head = kBlock * task.d;
  Ints high[kHeads][kVectorsOfHead];
  Ints low[kHeads][kVectorsOfHead];
  SURTITLE_UNROLL
  for (std::ptrdiff_t h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kVectorsOfHead; ++v) {
      high[h][v] = Ints{} - weights[h].high_offset;
      low[h][v] = Ints{} - weights[h].low_offset;
    }
  }
  const std::ptrdiff_t visible = task.query.visible;
  for (std::ptrdiff_t first = 0; first < visible; first += kBlock) {
    const auto* values = values_of(task, layout, head, first) + c * kGroup;
    if (first + kAhead * kBlock < visible) {
      const auto* ahead = values + kAhead * task.block_size;
      for (std::ptrdiff_t row = 0; row < kHeads * kGroups; ++row, ahead += task.d * kGroup)
        fetch(ahead, kVectorsOfHead * kVectorBytes);
    }
    const std::ptrdiff_t end = std::min(first + kBlock, visible);
    for (std::ptrdiff_t j = first; j < end; j += kGroup, values += task.d * kGroup) {
      SURTITLE_UNROLL
      for (std::ptrdiff_t h = 0; h < kHeads; ++h) {
        Inputs upper;
        Inputs lower;
        load_inputs(upper, weights[h].high + j);
        load_inputs(lower, weights[h].low + j);
        SURTITLE_UNROLL
        for (std::ptrdiff_t v = 0; v < kVectorsOfHead; ++v) {
          Weights value;
          load_weights(value, values + h * of_head + v * kVectorBytes);
          add_products(high[h][v], value, upper);
          add_products(low[h][v], value, lower);
        }
      }
    }
  }
  SURTITLE_UNROLL
  for (std::ptrdiff_t h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kVectorsOfHead; ++v) {
      const Floats sum =
          multiply_add(to_floats(high[h][v]), Floats{} + 256.0F, to_floats(low[h][v]));
      store_part(task.query.context + (head + h) * task.d + c + v * kLane, sum * weights[h].scale,
                 task.d - c - v * kLane);
    }
  }
}

// Computes the context of heads from `head`.
template <int kHeads>
SURTITLE_TARGET void attend_heads(const CachedAttention& task, const ByteBlock& layout,
                                  std::ptrdiff_t head, KvCache::Scratch& scratch) {
  std::array<ByteWeights, kHeads> weights;
  std::ptrdiff_t next = head;
  for (auto& one : weights) one = weigh_bytes(task, layout, next++, scratch);
  constexpr std::ptrdiff_t kWide = kMixedVectors * kLane;
  std::ptrdiff_t c = 0;
  for (; c + kWide <= task.d; c += kWide)
    add_values<kHeads, kMixedVectors>(task, layout, weights.data(), head, c);
  for (; c < task.d; c += kLane) add_values<kHeads, 1>(task, layout, weights.data(), head, c);
}

// Writes a head's key [count] of a position to `to` in the block; `bytes` is a buffer for it.
// Returns the scale.
SURTITLE_TARGET float write_key(const float* key, std::ptrdiff_t count, int lane,
                                std::int8_t* bytes, std::byte* to) {
  const float scale = quantize_bytes(key, count, bytes).scale;
  for (std::ptrdiff_t c = 0; c < count; c += kGroup) {
    std::uint32_t four;
    std::memcpy(&four, bytes + c, sizeof(four));
    four ^= static_cast<std::uint32_t>(kOffsets);
    std::memcpy(to + (c / kGroup * kBlock + lane) * kGroup, &four, sizeof(four));
  }
  return scale;
}

// Writes a value, interleaved with those of its three neighbours. Returns the scale.
SURTITLE_TARGET float write_value(const float* value, std::ptrdiff_t count, int lane,
                                  std::int8_t* bytes, std::byte* to) {
  const float scale = quantize_bytes(value, count, bytes).scale;
  auto* place = reinterpret_cast<std::uint8_t*>(to) + lane % kGroup;
  for (std::ptrdiff_t c = 0; c < count; ++c)
    place[c * kGroup] = static_cast<std::uint8_t>(kByteOffset + bytes[c]);
  return scale;
}

SURTITLE_TARGET void write(const KvCache::Shape& shape, std::byte* block, int lane,
                           const float* key, const float* value, KvCache::Scratch& scratch) {
  const std::ptrdiff_t d = shape.d;
  const ByteBlock layout(shape.heads, d);
  auto* key_scales = reinterpret_cast<float*>(block + layout.key_scales);
  auto* value_scales = reinterpret_cast<float*>(block + layout.value_scales);
  scratch.bytes.assign(static_cast<std::size_t>(head_size(d) / kBlock), 0);
  for (std::ptrdiff_t h = 0; h < shape.heads; ++h) {
    key_scales[h * kBlock + lane] =
        write_key(key + h * d, d, lane, scratch.bytes.data(), block + h * head_size(d));
    value_scales[h * kBlock + lane] =
        write_value(value + h * d, d, lane, scratch.bytes.data(),
                    block + layout.values + (h * kGroups + lane / kGroup) * d * kGroup);
  }
}

SURTITLE_TARGET void score(const CachedAttention& task, KvCache::Scratch& scratch) {
  const ByteBlock layout(task.heads, task.d);
  const auto heads = static_cast<std::size_t>(task.heads);
  scratch.bytes.resize(static_cast<std::size_t>(task.heads * (head_size(task.d) / kBlock)));
  scratch.scales.resize(heads);
  scratch.offsets.resize(heads);
  if (task.query.additive) {
    score_additive(task, layout);
  } else {
    score_dot(task, layout, scratch);
  }
}

SURTITLE_TARGET void mix(const CachedAttention& task, KvCache::Scratch& scratch) {
  const ByteBlock layout(task.heads, task.d);
  const auto weights = 2 * static_cast<std::size_t>(task.heads * padded(task.query.visible));
  if (scratch.weights.size() < weights) scratch.weights.resize(weights);
  std::ptrdiff_t head = 0;
  for (; head + kMixedHeads <= task.heads; head += kMixedHeads)
    attend_heads<kMixedHeads>(task, layout, head, scratch);
  for (; head < task.heads; ++head) attend_heads<1>(task, layout, head, scratch);
}

}  // namespace
}  // namespace surtitle
