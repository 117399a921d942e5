#include "model/cpu/int8_kv_cache.h"

#include <algorithm>
#include <array>

#include "model/cpu/int8_matrix.h"
#include "model/cpu/vnni.h"

namespace surtitle {
namespace {

constexpr std::ptrdiff_t kBlock = kCacheBlock;
constexpr std::ptrdiff_t kGroup = 4;  // adjacent components of a key, or positions of a value
constexpr std::ptrdiff_t kGroups = kBlock / kGroup;
constexpr std::ptrdiff_t kAhead = 2;  // blocks to prefetch
constexpr std::ptrdiff_t kLine = 64;  // bytes of a cache line and of a vector
constexpr int kOffsets =
    static_cast<int>(0x80808080);  // inverts the highest bits: adds 128 to each byte

std::size_t up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

// Offsets of the parts of a block, in bytes.
struct Layout {
  Layout(std::ptrdiff_t heads, std::ptrdiff_t d) {
    const auto h = static_cast<std::size_t>(heads);
    const auto scales = kBlock * h * sizeof(float);
    key_scales = kBlock * h * up(static_cast<std::size_t>(d), kGroup);
    values = key_scales + scales;
    // A vector load of the last values also reads the beginning of their scales.
    value_scales = values + up(kBlock * h * static_cast<std::size_t>(d), kLine);
    size = up(value_scales + scales, kLine);
  }

  std::size_t key_scales;
  std::size_t values;
  std::size_t value_scales;
  std::size_t size;
};

#if defined(SURTITLE_VNNI)

const std::byte* block_of(const CachedAttention& task, std::ptrdiff_t position) {
  return task.blocks + static_cast<std::size_t>(position / kBlock) * task.block_size;
}

// Returns the bytes of keys or values of one head in a block.
std::size_t head_size(std::ptrdiff_t d) { return kBlock * up(static_cast<std::size_t>(d), kGroup); }

// Prefetching early shortens the wait for memory; the hardware's own prefetch ends at each page.
[[gnu::always_inline]] inline void fetch(const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(from + at);
}

SURTITLE_VNNI [[gnu::always_inline]] inline __m512i four_bytes(const std::int8_t* from) {
  std::int32_t four;
  std::memcpy(&four, from, sizeof(four));
  return _mm512_set1_epi32(four);
}

// Adds four components of 16 keys times those of the query to `sums`.
SURTITLE_VNNI [[gnu::always_inline]] inline void add_products(__m512i& sums, const std::byte* keys,
                                                              const std::int8_t* query,
                                                              std::ptrdiff_t group) {
  const __m512i of_keys =
      _mm512_loadu_si512(keys + static_cast<std::ptrdiff_t>(group) * kGroup * kBlock);
  sums = _mm512_dpbusd_epi32(sums, of_keys, four_bytes(query + group * kGroup));
}

// Computes scores of all heads: [H, padded]. It reads blocks from front to back, in the order of
// memory.
SURTITLE_VNNI void score_dot(const CachedAttention& task, const Layout& layout,
                             KvCache::Scratch& scratch) {
  const auto& query = task.query;
  const std::ptrdiff_t groups = (task.d + kGroup - 1) / kGroup;
  const auto stride = padded(query.visible);
  std::int8_t* bytes = scratch.bytes.data();
  for (std::ptrdiff_t h = 0; h < task.heads; ++h) {
    std::int8_t* of_head = bytes + static_cast<std::ptrdiff_t>(h) * groups * kGroup;
    std::fill_n(of_head, groups * kGroup, std::int8_t{0});
    const auto at = static_cast<std::size_t>(h);
    const auto quantized = quantize(query.query + h * task.d, task.d, of_head);
    scratch.scales[at] = quantized.scale;
    scratch.offsets[at] = kByteOffset * quantized.sum;
  }
  for (std::ptrdiff_t first = 0; first < query.visible; first += kBlock) {
    const auto* block = block_of(task, first);
    const auto* key_scales = reinterpret_cast<const float*>(block + layout.key_scales);
    for (std::ptrdiff_t h = 0; h < task.heads; ++h) {
      const auto* keys = block + static_cast<std::size_t>(h) * head_size(task.d);
      if (first + kAhead * kBlock < query.visible)
        fetch(keys + kAhead * task.block_size, head_size(task.d));
      const auto* of_head = bytes + static_cast<std::ptrdiff_t>(h) * groups * kGroup;
      __m512i even = _mm512_setzero_si512();
      __m512i odd = _mm512_setzero_si512();
      for (std::ptrdiff_t group = 0; group + 1 < groups; group += 2) {
        add_products(even, keys, of_head, group);
        add_products(odd, keys, of_head, group + 1);
      }
      if (groups % 2 != 0) add_products(even, keys, of_head, groups - 1);
      const auto at = static_cast<std::size_t>(h);
      const __m512i dot =
          _mm512_sub_epi32(_mm512_add_epi32(even, odd), _mm512_set1_epi32(scratch.offsets[at]));
      const __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(key_scales + h * kBlock),
                                         _mm512_set1_ps(scratch.scales[at]));
      _mm512_storeu_ps(task.scores + h * stride + first,
                       _mm512_mul_ps(_mm512_cvtepi32_ps(dot), scale));
    }
  }
}

// Computes additive scores of all heads, from dequantised keys.
SURTITLE_VNNI void score_additive(const CachedAttention& task, const Layout& layout) {
  const auto& query = task.query;
  const auto stride = padded(query.visible);
  for (std::ptrdiff_t first = 0; first < query.visible; first += kBlock) {
    const auto* block = block_of(task, first);
    const auto* key_scales = reinterpret_cast<const float*>(block + layout.key_scales);
    for (std::ptrdiff_t h = 0; h < task.heads; ++h) {
      const auto* keys = reinterpret_cast<const std::uint8_t*>(block) +
                         static_cast<std::size_t>(h) * head_size(task.d);
      FloatVector scales;
      load(scales, key_scales + h * kBlock);
      FloatVector sum = {};
      for (std::ptrdiff_t c = 0; c < task.d; ++c) {
        const auto* bytes =
            keys + static_cast<std::ptrdiff_t>(c / kGroup) * kGroup * kBlock + c % kGroup;
        FloatVector key;
        for (int lane = 0; lane < kBlock; ++lane)
          key[lane] = static_cast<float>(bytes[lane * kGroup] - kByteOffset);
        key *= scales;
        add_tangent(sum, key, query.query[h * task.d + c], query.additive[h * task.d + c]);
      }
      store(task.scores + h * stride + first, sum);
    }
  }
}

// Returns the values of four positions from `position`: [d][4]. The next head's follow 16 d bytes
// later.
const std::byte* values_of(const CachedAttention& task, const Layout& layout, std::ptrdiff_t head,
                           std::ptrdiff_t position) {
  return block_of(task, position) + layout.values +
         (head * kGroups + position % kBlock / kGroup) * task.d * kGroup;
}

// A head's weights in two bytes each, so that the values' sums are sums of integers. A weight is
// scale * (256 high + low).
struct ByteWeights {
  const std::int8_t* high;   // [padded]
  const std::int8_t* low;    // [padded]
  std::int32_t high_offset;  // contribution to the sums of the 128 added to each value
  std::int32_t low_offset;
  float scale;
};

// Splits weights [padded] into high and low, the largest at +-32639.
SURTITLE_VNNI ByteWeights split_weights(const float* weights, std::ptrdiff_t count, float largest,
                                        std::int8_t* high, std::int8_t* low) {
  constexpr float kMax = 127 * 256 + 127;
  constexpr float kMin = 1e-30F;  // a smaller one would make the factor overflow
  const __m512 factor = _mm512_set1_ps(largest > kMin ? kMax / largest : 0);
  __m512i high_sum = _mm512_setzero_si512();
  __m512i low_sum = _mm512_setzero_si512();
  for (std::ptrdiff_t first = 0; first < count; first += kBlock) {
    const __m512i whole =
        _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(weights + first), factor));
    const __m512i upper = _mm512_srai_epi32(_mm512_add_epi32(whole, _mm512_set1_epi32(128)), 8);
    const __m512i lower = _mm512_sub_epi32(whole, _mm512_slli_epi32(upper, 8));
    high_sum = _mm512_add_epi32(high_sum, upper);
    low_sum = _mm512_add_epi32(low_sum, lower);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(high + first), _mm512_cvtepi32_epi8(upper));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(low + first), _mm512_cvtepi32_epi8(lower));
  }
  return {.high = high,
          .low = low,
          .high_offset = kByteOffset * _mm512_reduce_add_epi32(high_sum),
          .low_offset = kByteOffset * _mm512_reduce_add_epi32(low_sum),
          .scale = largest / kMax};
}

// Turns scores of a head into weights of the values' bytes: softmax times the values' scales.
SURTITLE_VNNI ByteWeights weigh_bytes(const CachedAttention& task, const Layout& layout,
                                      std::ptrdiff_t head, KvCache::Scratch& scratch) {
  const int visible = task.query.visible;
  const auto stride = padded(visible);
  float* weights = task.scores + head * stride;
  for (std::ptrdiff_t first = 0; first < std::min<std::ptrdiff_t>(visible, kAhead * kBlock);
       first += kBlock)
    fetch(values_of(task, layout, head, first), head_size(task.d));
  float left = exp_weights<FloatVector>(weights, bias_of(task.query, head), visible);
  left = blend(weights, left, task.query, head);
  show_weights(task, head, weights, left);
  __m512 largest = _mm512_setzero_ps();
  for (std::ptrdiff_t first = 0; first < visible; first += kBlock) {
    const auto* block = block_of(task, first);
    const auto* scales =
        reinterpret_cast<const float*>(block + layout.value_scales) + head * kBlock;
    const std::ptrdiff_t there = std::min(kBlock, visible - first);
    // Bytes after the prefix may have any value; their weight is 0.
    const __m512 weight =
        _mm512_maskz_mul_ps(static_cast<__mmask16>((1U << there) - 1),
                            _mm512_loadu_ps(weights + first), _mm512_loadu_ps(scales));
    largest = _mm512_max_ps(largest, _mm512_abs_ps(weight));
    _mm512_storeu_ps(weights + first, weight);
  }
  std::int8_t* high = scratch.weights.data() + 2 * head * stride;
  auto result = split_weights(weights, visible, _mm512_reduce_max_ps(largest), high, high + stride);
  result.scale *= left;
  return result;
}

// Computes the context of kHeads heads from `head`, components [c, c + 16 kVectors) of each.
template <int kHeads, int kVectors>
SURTITLE_VNNI [[gnu::always_inline]] inline void add_values(const CachedAttention& task,
                                                            const Layout& layout,
                                                            const ByteWeights* weights,
                                                            std::ptrdiff_t head, std::ptrdiff_t c) {
  const std::ptrdiff_t of_head = kBlock * task.d;
  __m512i high[kHeads][kVectors];
  __m512i low[kHeads][kVectors];
  SURTITLE_UNROLL
  for (std::ptrdiff_t h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kVectors; ++v) {
      high[h][v] = _mm512_set1_epi32(-weights[h].high_offset);
      low[h][v] = _mm512_set1_epi32(-weights[h].low_offset);
    }
  }
  const std::ptrdiff_t visible = task.query.visible;
  for (std::ptrdiff_t first = 0; first < visible; first += kBlock) {
    const auto* values = values_of(task, layout, head, first) + c * kGroup;
    if (first + kAhead * kBlock < visible) {
      const auto* ahead = values + kAhead * task.block_size;
      for (std::ptrdiff_t row = 0; row < kHeads * kGroups; ++row, ahead += task.d * kGroup)
        fetch(ahead, kVectors * kLine);
    }
    const std::ptrdiff_t end = std::min(first + kBlock, visible);
    for (std::ptrdiff_t j = first; j < end; j += kGroup, values += task.d * kGroup) {
      SURTITLE_UNROLL
      for (std::ptrdiff_t h = 0; h < kHeads; ++h) {
        const __m512i upper = four_bytes(weights[h].high + j);
        const __m512i lower = four_bytes(weights[h].low + j);
        SURTITLE_UNROLL
        for (std::ptrdiff_t v = 0; v < kVectors; ++v) {
          const __m512i value = _mm512_loadu_si512(values + h * of_head + v * kLine);
          high[h][v] = _mm512_dpbusd_epi32(high[h][v], value, upper);
          low[h][v] = _mm512_dpbusd_epi32(low[h][v], value, lower);
        }
      }
    }
  }
  SURTITLE_UNROLL
  for (std::ptrdiff_t h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (std::ptrdiff_t v = 0; v < kVectors; ++v) {
      const std::ptrdiff_t left =
          std::min<std::ptrdiff_t>(kFloatVector, task.d - c - v * kFloatVector);
      const __m512 sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(high[h][v]), _mm512_set1_ps(256),
                                         _mm512_cvtepi32_ps(low[h][v]));
      _mm512_mask_storeu_ps(task.query.context + (head + h) * task.d + c + v * kFloatVector,
                            static_cast<__mmask16>((1U << left) - 1),
                            _mm512_mul_ps(sum, _mm512_set1_ps(weights[h].scale)));
    }
  }
}

// Writes a head's key [count] of a position to `to` in the block; `bytes` is a buffer for it.
// Returns the scale.
float write_key(const float* key, std::ptrdiff_t count, int lane, std::int8_t* bytes,
                std::byte* to) {
  const float scale = quantize(key, count, bytes).scale;
  for (std::ptrdiff_t c = 0; c < count; c += kGroup) {
    std::uint32_t four;
    std::memcpy(&four, bytes + c, sizeof(four));
    four ^= static_cast<std::uint32_t>(kOffsets);
    std::memcpy(to + (c / kGroup * kBlock + lane) * kGroup, &four, sizeof(four));
  }
  return scale;
}

// Writes a value, interleaved with those of its three neighbours. Returns the scale.
SURTITLE_VNNI float write_value(const float* value, std::ptrdiff_t count, int lane,
                                std::int8_t* bytes, std::byte* to) {
  const float scale = quantize(value, count, bytes).scale;
  const std::ptrdiff_t place = lane % kGroup;
  for (std::ptrdiff_t c = 0; c < count; c += kFloatVector) {
    const std::ptrdiff_t left = std::min<std::ptrdiff_t>(kFloatVector, count - c);
    const __mmask64 there =
        left == kFloatVector ? ~__mmask64{0} : (__mmask64{1} << left * kGroup) - 1;
    const __m128i signed_bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + c));
    const __m512i wide =
        _mm512_cvtepu8_epi32(_mm_xor_si128(signed_bytes, _mm_set1_epi32(kOffsets)));
    _mm512_mask_storeu_epi8(to + c * kGroup, there & (0x1111111111111111U << place),
                            _mm512_sll_epi32(wide, _mm_cvtsi32_si128(static_cast<int>(8 * place))));
  }
  return scale;
}

// Computes the context of kHeads heads from `head`.
template <int kHeads>
SURTITLE_VNNI void attend_heads(const CachedAttention& task, const Layout& layout,
                                std::ptrdiff_t head, KvCache::Scratch& scratch) {
  std::array<ByteWeights, kHeads> weights;
  std::ptrdiff_t next = head;
  for (auto& one : weights) one = weigh_bytes(task, layout, next++, scratch);
  constexpr std::ptrdiff_t kWide = 4 * kBlock;
  std::ptrdiff_t c = 0;
  for (; c + kWide <= task.d; c += kWide)
    add_values<kHeads, 4>(task, layout, weights.data(), head, c);
  for (; c < task.d; c += kBlock) add_values<kHeads, 1>(task, layout, weights.data(), head, c);
}

#endif

}  // namespace

std::size_t byte_block_size(int heads, int d) { return Layout(heads, d).size; }

void write_bytes([[maybe_unused]] const KvCache::Shape& shape, [[maybe_unused]] std::byte* block,
                 [[maybe_unused]] int lane, [[maybe_unused]] const float* key,
                 [[maybe_unused]] const float* value, [[maybe_unused]] KvCache::Scratch& scratch) {
#if defined(SURTITLE_VNNI)
  const std::ptrdiff_t d = shape.d;
  const Layout layout(shape.heads, d);
  auto* key_scales = reinterpret_cast<float*>(block + layout.key_scales);
  auto* value_scales = reinterpret_cast<float*>(block + layout.value_scales);
  scratch.bytes.assign(up(static_cast<std::size_t>(d), kFloatVector), 0);
  for (std::ptrdiff_t h = 0; h < shape.heads; ++h) {
    key_scales[h * kBlock + lane] = write_key(key + h * d, d, lane, scratch.bytes.data(),
                                              block + static_cast<std::size_t>(h) * head_size(d));
    value_scales[h * kBlock + lane] =
        write_value(value + h * d, d, lane, scratch.bytes.data(),
                    block + layout.values + (h * kGroups + lane / kGroup) * d * kGroup);
  }
#endif
}

void score_bytes([[maybe_unused]] const CachedAttention& task,
                 [[maybe_unused]] KvCache::Scratch& scratch) {
#if defined(SURTITLE_VNNI)
  const Layout layout(task.heads, task.d);
  const auto heads = static_cast<std::size_t>(task.heads);
  scratch.bytes.resize(heads * up(static_cast<std::size_t>(task.d), kGroup));
  scratch.scales.resize(heads);
  scratch.offsets.resize(heads);
  if (task.query.additive) {
    score_additive(task, layout);
  } else {
    score_dot(task, layout, scratch);
  }
#endif
}

void mix_bytes([[maybe_unused]] const CachedAttention& task,
               [[maybe_unused]] KvCache::Scratch& scratch) {
#if defined(SURTITLE_VNNI)
  const Layout layout(task.heads, task.d);
  const auto weights = 2 * static_cast<std::size_t>(task.heads * padded(task.query.visible));
  if (scratch.weights.size() < weights) scratch.weights.resize(weights);
  std::ptrdiff_t head = 0;
  for (; head + 2 <= task.heads; head += 2) attend_heads<2>(task, layout, head, scratch);
  if (head < task.heads) attend_heads<1>(task, layout, head, scratch);
#endif
}

}  // namespace surtitle
