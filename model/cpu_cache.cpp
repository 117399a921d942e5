#include "model/cpu_cache.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "model/simd.h"
#include "model/vnni.h"

namespace surtitle {
namespace {

constexpr int kBlock = kFloatVector;  // positions
constexpr int kGroup = 4;             // components of a key, or positions of a value, side by side
constexpr int kGroups = kBlock / kGroup;
constexpr int kKept = 64;  // positions whose memory a slot keeps

std::size_t up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

// Where the parts of a block begin, in bytes.
struct Layout {
  std::size_t key_scales = 0;
  std::size_t values = 0;
  std::size_t value_scales = 0;
  std::size_t size = 0;
};

Layout layout_of(int heads, int d, Precision precision) {
  const auto h = static_cast<std::size_t>(heads);
  const auto width = h * static_cast<std::size_t>(d);
  Layout layout;
  if (precision == Precision::kFloat32) {
    layout.values = kBlock * width * sizeof(float);
    layout.size = up(2 * layout.values, 64);
    return layout;
  }
  layout.key_scales = kBlock * h * up(static_cast<std::size_t>(d), 4);
  layout.values = layout.key_scales + kBlock * h * sizeof(float);
  layout.value_scales = layout.values + up(kBlock * width, 64);
  layout.size = up(layout.value_scales + kBlock * h * sizeof(float), 64);
  return layout;
}

struct Task {
  const std::byte* blocks;
  std::size_t block_size;
  int heads;
  int d;
  CpuCache::Query query;
  float* scores;  // [H, blocks * 16]
};

std::int64_t padded(int visible) { return (visible + kBlock - 1) / kBlock * kBlock; }

// Scores of one head [padded] -> weights that are not normalised yet; returns their sum's inverse.
[[gnu::always_inline]] inline float soften(float* scores, const float* bias, int visible) {
  const IntVector lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  constexpr float kLowest = -1e30F;
  FloatVector largest = FloatVector{} + kLowest;
  FloatVector score;
  for (int first = 0; first < visible; first += kBlock) {
    load(score, scores + first);
    if (bias) {
      FloatVector added = {};
      const int there = std::min(kBlock, visible - first);
      std::memcpy(&added, bias + first, static_cast<std::size_t>(there) * sizeof(float));
      score += added;
    }
    score = lanes + first < visible ? score : FloatVector{} + kLowest;
    largest = score > largest ? score : largest;
    store(scores + first, score);
  }
  const float highest = largest_of(largest);
  FloatVector sums = {};
  for (int first = 0; first < visible; first += kBlock) {
    load(score, scores + first);
    score -= highest;
    exponential(score);
    score = lanes + first < visible ? score : FloatVector{};
    sums += score;
    store(scores + first, score);
  }
  return 1 / sum_of(sums);
}

// Weights of a head as they stand in `scores` and their sum's inverse, for who asked to see them.
inline void show_weights(const Task& task, int head, const float* scores, float inverse) {
  if (!task.query.weights) return;
  float* weights = task.query.weights + static_cast<std::ptrdiff_t>(head) * task.query.visible;
  for (int j = 0; j < task.query.visible; ++j) weights[j] = scores[j] * inverse;
}

// scale * softmax + added where asked for, of weights that soften() left; returns what is left to
// multiply them with.
[[gnu::always_inline]] inline float blend(float* weights, float inverse,
                                          const CpuCache::Query& query, int head) {
  if (!query.scale && !query.added) return inverse;
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(head) * query.head_stride;
  for (int j = 0; j < query.visible; ++j) {
    weights[j] *= inverse;
    if (query.scale) weights[j] *= query.scale[at + j];
    if (query.added) weights[j] += query.added[at + j];
  }
  return 1;
}

const float* bias_of(const CpuCache::Query& query, int head) {
  return query.bias ? query.bias + static_cast<std::ptrdiff_t>(head) * query.head_stride : nullptr;
}

// A component's part of additive scores.
[[gnu::always_inline]] inline void add_tangent(FloatVector& sum, FloatVector& key, float query,
                                               float factor) {
  key += query;
  hyperbolic_tangent(key);
  sum += key * factor;
}

struct AttendFloat {
  [[gnu::always_inline]] static void run(const Task* task) {
    const auto& query = task->query;
    const int d = task->d;
    const auto width = static_cast<std::size_t>(task->heads * d);
    const auto stride = padded(query.visible);
    for (int first = 0; first < query.visible; first += kBlock) {
      const auto* keys = reinterpret_cast<const float*>(
          task->blocks + static_cast<std::size_t>(first / kBlock) * task->block_size);
      for (int h = 0; h < task->heads; ++h) {
        // Four sums, to hide the latency of one.
        std::array<FloatVector, 4> sums = {};
        FloatVector key;
        for (int c = h * d; c < (h + 1) * d; ++c) {
          load(key, keys + static_cast<std::ptrdiff_t>(c) * kBlock);
          auto& sum = sums[static_cast<std::size_t>(c % 4)];
          if (query.additive) {
            add_tangent(sum, key, query.query[c], query.additive[c]);
          } else {
            sum += key * query.query[c];
          }
        }
        store(task->scores + h * stride + first, (sums[0] + sums[1]) + (sums[2] + sums[3]));
      }
    }
    for (int h = 0; h < task->heads; ++h) {
      float* scores = task->scores + h * stride;
      float inverse = soften(scores, bias_of(query, h), query.visible);
      inverse = blend(scores, inverse, query, h);
      show_weights(*task, h, scores, inverse);
      for (int c = 0; c < d; c += kFloatVector) {
        FloatVector sum = {};
        const auto there = static_cast<std::size_t>(std::min(kFloatVector, d - c));
        for (int j = 0; j < query.visible; ++j) {
          const auto* value =
              reinterpret_cast<const float*>(task->blocks + static_cast<std::size_t>(j / kBlock) *
                                                                task->block_size) +
              (kBlock + static_cast<std::size_t>(j % kBlock)) * width + h * d + c;
          FloatVector part = {};
          if (there == kFloatVector) {
            load(part, value);
          } else {
            std::memcpy(&part, value, there * sizeof(float));
          }
          sum += part * scores[j];
        }
        sum *= inverse;
        std::memcpy(query.context + h * d + c, &sum, there * sizeof(float));
      }
    }
  }
};

#if defined(SURTITLE_VNNI)

// sums += four components of 16 keys times those of the query.
SURTITLE_VNNI [[gnu::always_inline]] inline void add_products(__m512i& sums, const std::byte* keys,
                                                              const std::int8_t* query, int group) {
  std::int32_t four;
  std::memcpy(&four, query + group * 4, sizeof(four));
  const __m512i of_keys =
      _mm512_loadu_si512(keys + static_cast<std::ptrdiff_t>(group) * 4 * kBlock);
  sums = _mm512_dpbusd_epi32(sums, of_keys, _mm512_set1_epi32(four));
}

// Scores of all heads: [H, padded]. Blocks are read from front to back, as memory likes it.
SURTITLE_VNNI void score_bytes(const Task& task, const Layout& layout, CpuCache::Scratch& scratch) {
  const auto& query = task.query;
  const int groups = (task.d + 3) / 4;
  const auto stride = padded(query.visible);
  std::int8_t* bytes = scratch.bytes.data();
  for (int h = 0; h < task.heads; ++h) {
    std::int8_t* of_head = bytes + static_cast<std::ptrdiff_t>(h) * groups * 4;
    std::fill_n(of_head, groups * 4, std::int8_t{0});
    const auto at = static_cast<std::size_t>(h);
    const auto quantized = quantize(query.query + h * task.d, task.d, of_head);
    scratch.scales[at] = quantized.scale;
    scratch.offsets[at] = kByteOffset * quantized.sum;
  }
  for (int first = 0; first < query.visible; first += kBlock) {
    const auto* block = task.blocks + static_cast<std::size_t>(first / kBlock) * task.block_size;
    const auto* key_scales = reinterpret_cast<const float*>(block + layout.key_scales);
    for (int h = 0; h < task.heads; ++h) {
      const auto* keys = block + static_cast<std::ptrdiff_t>(h) * groups * 4 * kBlock;
      const auto* of_head = bytes + static_cast<std::ptrdiff_t>(h) * groups * 4;
      __m512i even = _mm512_setzero_si512();
      __m512i odd = _mm512_setzero_si512();
      for (int group = 0; group + 1 < groups; group += 2) {
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

// Additive scores of all heads, of keys as they read back.
SURTITLE_VNNI void score_additive(const Task& task, const Layout& layout) {
  const auto& query = task.query;
  const int groups = (task.d + 3) / 4;
  const auto stride = padded(query.visible);
  for (int first = 0; first < query.visible; first += kBlock) {
    const auto* block = task.blocks + static_cast<std::size_t>(first / kBlock) * task.block_size;
    const auto* key_scales = reinterpret_cast<const float*>(block + layout.key_scales);
    for (int h = 0; h < task.heads; ++h) {
      const auto* keys = reinterpret_cast<const std::uint8_t*>(block) +
                         static_cast<std::ptrdiff_t>(h) * groups * 4 * kBlock;
      FloatVector scales;
      load(scales, key_scales + h * kBlock);
      FloatVector sum = {};
      for (int c = 0; c < task.d; ++c) {
        const auto* bytes = keys + static_cast<std::ptrdiff_t>(c / 4) * 4 * kBlock + c % 4;
        FloatVector key;
        for (int lane = 0; lane < kBlock; ++lane)
          key[lane] = static_cast<float>(bytes[lane * 4] - kByteOffset);
        key *= scales;
        add_tangent(sum, key, query.query[h * task.d + c], query.additive[h * task.d + c]);
      }
      store(task.scores + h * stride + first, sum);
    }
  }
}

// A head's weights as two bytes each, so that the values' sums are ones of integers: a weight is
// scale * (256 high + low).
struct ByteWeights {
  std::int8_t* high;         // [padded]
  std::int8_t* low;          // [padded]
  std::int32_t high_offset;  // what the 128 added to each value adds to the sums
  std::int32_t low_offset;
  float scale;
};

// weights [padded] -> high and low, the largest at +-32639.
SURTITLE_VNNI ByteWeights split_weights(const float* weights, int count, float largest,
                                        std::int8_t* high, std::int8_t* low) {
  constexpr float kLargest = 127 * 256 + 127;
  constexpr float kLeast = 1e-30F;  // smaller ones would have a factor beyond all floats
  const __m512 factor = _mm512_set1_ps(largest > kLeast ? kLargest / largest : 0);
  __m512i high_sum = _mm512_setzero_si512();
  __m512i low_sum = _mm512_setzero_si512();
  for (int first = 0; first < count; first += kBlock) {
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
          .scale = largest / kLargest};
}

// Scores of a head -> weights of the values' bytes: softmax times the values' scales.
SURTITLE_VNNI ByteWeights weigh_bytes(const Task& task, const Layout& layout, int head,
                                      CpuCache::Scratch& scratch) {
  const int visible = task.query.visible;
  const auto stride = padded(visible);
  float* weights = task.scores + head * stride;
  float left = soften(weights, bias_of(task.query, head), visible);
  left = blend(weights, left, task.query, head);
  show_weights(task, head, weights, left);
  __m512 largest = _mm512_setzero_ps();
  for (int first = 0; first < visible; first += kBlock) {
    const auto* block = task.blocks + static_cast<std::size_t>(first / kBlock) * task.block_size;
    const auto* scales =
        reinterpret_cast<const float*>(block + layout.value_scales) + head * kBlock;
    const int there = std::min(kBlock, visible - first);
    // What stands behind the prefix may be anything; its weight is 0.
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

// Sums of weights times values, as their two bytes give them.
template <int kVectors>
struct ByteSums {
  __m512i high[kVectors];
  __m512i low[kVectors];
};

SURTITLE_VNNI [[gnu::always_inline]] inline __m512i four_bytes(const std::int8_t* from) {
  std::int32_t four;
  std::memcpy(&four, from, sizeof(four));
  return _mm512_set1_epi32(four);
}

// The context of kHeads heads from `head` on, components [c, c + 16 kVectors) of each.
template <int kHeads, int kVectors>
SURTITLE_VNNI [[gnu::always_inline]] inline void add_values(const Task& task, const Layout& layout,
                                                            const ByteWeights* weights, int head,
                                                            int c) {
  ByteSums<kVectors> sums[kHeads];
  SURTITLE_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sums[h].high[v] = _mm512_set1_epi32(-weights[h].high_offset);
      sums[h].low[v] = _mm512_set1_epi32(-weights[h].low_offset);
    }
  }
  for (int j = 0; j < task.query.visible; j += kGroup) {
    const auto* values =
        task.blocks + static_cast<std::size_t>(j / kBlock) * task.block_size + layout.values;
    const int group = j % kBlock / kGroup;
    SURTITLE_UNROLL
    for (int h = 0; h < kHeads; ++h) {
      const auto* of_head =
          values +
          ((static_cast<std::ptrdiff_t>(head + h) * kGroups + group) * task.d + c) * kGroup;
      const __m512i high = four_bytes(weights[h].high + j);
      const __m512i low = four_bytes(weights[h].low + j);
      SURTITLE_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const __m512i value = _mm512_loadu_si512(of_head + v * kFloatVector * kGroup);
        sums[h].high[v] = _mm512_dpbusd_epi32(sums[h].high[v], value, high);
        sums[h].low[v] = _mm512_dpbusd_epi32(sums[h].low[v], value, low);
      }
    }
  }
  SURTITLE_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const int left = std::min(kFloatVector, task.d - c - v * kFloatVector);
      const __m512 sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[h].high[v]), _mm512_set1_ps(256),
                                         _mm512_cvtepi32_ps(sums[h].low[v]));
      _mm512_mask_storeu_ps(task.query.context + (head + h) * task.d + c + v * kFloatVector,
                            static_cast<__mmask16>((1U << left) - 1),
                            _mm512_mul_ps(sum, _mm512_set1_ps(weights[h].scale)));
    }
  }
}

SURTITLE_VNNI void attend_bytes(const Task& task, const Layout& layout,
                                CpuCache::Scratch& scratch) {
  task.query.additive ? score_additive(task, layout) : score_bytes(task, layout, scratch);
  for (int head = 0; head < task.heads;) {
    const int together = task.d == 64 && head + 2 <= task.heads ? 2 : 1;
    ByteWeights weights[2] = {};
    for (int h = 0; h < together; ++h) weights[h] = weigh_bytes(task, layout, head + h, scratch);
    int c = 0;
    if (together == 2) {
      add_values<2, 4>(task, layout, weights, head, c);
      c = task.d;
    }
    for (; c + 4 * kFloatVector <= task.d; c += 4 * kFloatVector)
      add_values<1, 4>(task, layout, weights, head, c);
    for (; c < task.d; c += kFloatVector) add_values<1, 1>(task, layout, weights, head, c);
    head += together;
  }
}

// x [count], a head's value of a position, in bytes [count][4] between those of its three
// neighbours; `bytes` is room for it.
SURTITLE_VNNI float write_value(const float* x, int count, int lane, std::int8_t* bytes,
                                std::byte* to) {
  const float scale = quantize(x, count, bytes).scale;
  const int place = lane % kGroup;
  for (int c = 0; c < count; c += kFloatVector) {
    const int left = std::min(kFloatVector, count - c);
    const __mmask64 there =
        left == kFloatVector ? ~__mmask64{0} : (__mmask64{1} << left * kGroup) - 1;
    // Adding 128 to a byte turns its highest bit.
    const __m512i wide = _mm512_cvtepu8_epi32(_mm_xor_si128(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + c)), _mm_set1_epi8(-128)));
    _mm512_mask_storeu_epi8(to + c * kGroup, there & (0x1111111111111111U << place),
                            _mm512_sll_epi32(wide, _mm_cvtsi32_si128(8 * place)));
  }
  return scale;
}

#endif

}  // namespace

CpuCache::CpuCache(const Shape& shape, Precision precision)
    : shape_(shape),
      precision_(precision),
      block_size_(layout_of(shape.heads, shape.d, precision).size) {
  const auto blocks = static_cast<std::size_t>((shape.positions + kBlock - 1) / kBlock);
  slot_size_ = up(blocks * block_size_, 4096);
  // A vector load of the last value may look at what lies behind it.
  memory_ = LazyMemory(static_cast<std::size_t>(shape.slots) * slot_size_ + 64);
}

std::byte* CpuCache::block(int slot, std::int64_t position) const {
  return memory_.data() + static_cast<std::size_t>(slot) * slot_size_ +
         static_cast<std::size_t>(position / kBlock) * block_size_;
}

std::size_t CpuCache::bytes_per_position() const { return block_size_ / kBlock; }

void CpuCache::write(int slot, int position, const float* key, const float* value,
                     [[maybe_unused]] Scratch& scratch) {
  auto* at = block(slot, position);
  const int lane = position % kBlock;
  const int d = shape_.d;
  const int width = shape_.heads * d;
  if (precision_ == Precision::kFloat32) {
    auto* keys = reinterpret_cast<float*>(at);
    for (int c = 0; c < width; ++c) keys[c * kBlock + lane] = key[c];
    std::copy_n(value, width, keys + (kBlock + lane) * width);
    return;
  }
#if defined(SURTITLE_VNNI)
  const auto layout = layout_of(shape_.heads, d, precision_);
  auto* keys = reinterpret_cast<std::uint8_t*>(at);
  auto* key_scales = reinterpret_cast<float*>(at + layout.key_scales);
  auto* value_scales = reinterpret_cast<float*>(at + layout.value_scales);
  const int groups = (d + 3) / 4;
  scratch.bytes.assign(up(static_cast<std::size_t>(d), 16), 0);
  for (int h = 0; h < shape_.heads; ++h) {
    key_scales[h * kBlock + lane] = quantize(key + h * d, d, scratch.bytes.data()).scale;
    // Adding 128 to a byte turns its highest bit.
    for (int group = 0; group < groups; ++group) {
      std::uint32_t four;
      std::memcpy(&four, scratch.bytes.data() + group * 4, sizeof(four));
      four ^= 0x80808080U;
      std::memcpy(keys + ((h * groups + group) * kBlock + lane) * 4, &four, sizeof(four));
    }
    auto* values = at + layout.values + (h * kGroups + lane / kGroup) * d * kGroup;
    value_scales[h * kBlock + lane] =
        write_value(value + h * d, d, lane, scratch.bytes.data(), values);
  }
#endif
}

void CpuCache::attend(const Query& query, Scratch& scratch) const {
  const auto needed = static_cast<std::size_t>(shape_.heads * padded(query.visible));
  if (scratch.scores.size() < needed) scratch.scores.resize(needed);
  const Task task{.blocks = block(query.slot, 0),
                  .block_size = block_size_,
                  .heads = shape_.heads,
                  .d = shape_.d,
                  .query = query,
                  .scores = scratch.scores.data()};
  if (precision_ == Precision::kFloat32) {
    run_for_this_cpu<AttendFloat>(&task);
    return;
  }
#if defined(SURTITLE_VNNI)
  const auto heads = static_cast<std::size_t>(shape_.heads);
  scratch.bytes.resize(heads * up(static_cast<std::size_t>(shape_.d), 4));
  scratch.scales.resize(heads);
  scratch.offsets.resize(heads);
  if (scratch.weights.size() < 2 * needed) scratch.weights.resize(2 * needed);
  attend_bytes(task, layout_of(shape_.heads, shape_.d, precision_), scratch);
#endif
}

void CpuCache::release(int slot, int positions) {
  const auto begin = static_cast<std::size_t>(slot) * slot_size_;
  const auto blocks = static_cast<std::size_t>((positions + kBlock - 1) / kBlock);
  memory_.release(begin + kKept / kBlock * block_size_, begin + blocks * block_size_);
}

}  // namespace surtitle
