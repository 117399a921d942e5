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
constexpr int kKept = 64;             // positions whose memory a slot keeps

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

Task make_task(const CpuCache::Shape& shape, const std::byte* blocks, std::size_t block_size,
               const CpuCache::Query& query, CpuCache::Scratch& scratch) {
  return {.blocks = blocks,
          .block_size = block_size,
          .heads = shape.heads,
          .d = shape.d,
          .query = query,
          .scores = scratch.scores.data()};
}

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

struct ScoreFloat {
  [[gnu::always_inline]] static void run(const Task* task) {
    const auto& query = task->query;
    const int d = task->d;
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
  }
};

// What follows the scores.
struct WeighFloat {
  [[gnu::always_inline]] static void run(const Task* task) {
    const auto& query = task->query;
    const int d = task->d;
    const auto width = static_cast<std::size_t>(task->heads * d);
    const auto stride = padded(query.visible);
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

// Scores -> weights of the values' bytes: softmax times the values' scales.
SURTITLE_VNNI void weigh_bytes(const Task& task, const Layout& layout) {
  const auto stride = padded(task.query.visible);
  for (int h = 0; h < task.heads; ++h) {
    float* weights = task.scores + h * stride;
    float left = soften(weights, bias_of(task.query, h), task.query.visible);
    left = blend(weights, left, task.query, h);
    show_weights(task, h, weights, left);
    const __m512 inverse = _mm512_set1_ps(left);
    for (int first = 0; first < task.query.visible; first += kBlock) {
      const auto* block = task.blocks + static_cast<std::size_t>(first / kBlock) * task.block_size;
      const auto* scales = reinterpret_cast<const float*>(block + layout.value_scales) + h * kBlock;
      const __m512 factor = _mm512_mul_ps(_mm512_loadu_ps(scales), inverse);
      _mm512_storeu_ps(weights + first, _mm512_mul_ps(_mm512_loadu_ps(weights + first), factor));
    }
  }
}

// The context of kHeads heads from `head` on, components [c, c + 16 kVectors) of each.
template <int kHeads, int kVectors>
SURTITLE_VNNI [[gnu::always_inline]] inline void add_values(const Task& task, const Layout& layout,
                                                            int head, int c) {
  const int width = task.heads * task.d;
  const auto stride = padded(task.query.visible);
  const float* weights = task.scores + head * stride;
  __m512 sums[kHeads][kVectors];
  SURTITLE_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[h][v] = _mm512_setzero_ps();
  }
  for (int j = 0; j < task.query.visible; ++j) {
    const auto* values = task.blocks + static_cast<std::size_t>(j / kBlock) * task.block_size +
                         layout.values + (j % kBlock) * width + head * task.d + c;
    SURTITLE_UNROLL
    for (int h = 0; h < kHeads; ++h) {
      const __m512 weight = _mm512_set1_ps(weights[h * stride + j]);
      SURTITLE_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        const __m128i bytes = _mm_loadu_si128(
            reinterpret_cast<const __m128i*>(values + h * task.d + v * kFloatVector));
        sums[h][v] =
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes)), weight, sums[h][v]);
      }
    }
  }
  SURTITLE_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    SURTITLE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const int left = std::min(kFloatVector, task.d - c - v * kFloatVector);
      _mm512_mask_storeu_ps(task.query.context + (head + h) * task.d + c + v * kFloatVector,
                            static_cast<__mmask16>((1U << left) - 1), sums[h][v]);
    }
  }
}

// What follows the scores.
SURTITLE_VNNI void mix_bytes(const Task& task, const Layout& layout) {
  weigh_bytes(task, layout);
  int head = 0;
  if (task.d == 64)
    for (; head + 4 <= task.heads; head += 4) add_values<4, 4>(task, layout, head, 0);
  for (; head < task.heads; ++head) {
    int c = 0;
    for (; c + 4 * kFloatVector <= task.d; c += 4 * kFloatVector)
      add_values<1, 4>(task, layout, head, c);
    for (; c < task.d; c += kFloatVector) add_values<1, 1>(task, layout, head, c);
  }
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
  auto* values = reinterpret_cast<std::int8_t*>(at + layout.values) + lane * width;
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
    value_scales[h * kBlock + lane] = quantize(value + h * d, d, values + h * d).scale;
  }
#endif
}

void CpuCache::find_scores(const Query& query, Scratch& scratch) const {
  const auto needed = static_cast<std::size_t>(shape_.heads * padded(query.visible));
  if (scratch.scores.size() < needed) scratch.scores.resize(needed);
  const Task task = make_task(shape_, block(query.slot, 0), block_size_, query, scratch);
  if (precision_ == Precision::kFloat32) {
    run_for_this_cpu<ScoreFloat>(&task);
    return;
  }
#if defined(SURTITLE_VNNI)
  const auto heads = static_cast<std::size_t>(shape_.heads);
  scratch.bytes.resize(heads * up(static_cast<std::size_t>(shape_.d), 4));
  scratch.scales.resize(heads);
  scratch.offsets.resize(heads);
  const auto layout = layout_of(shape_.heads, shape_.d, precision_);
  query.additive ? score_additive(task, layout) : score_bytes(task, layout, scratch);
#endif
}

void CpuCache::attend(const Query& query, Scratch& scratch) const {
  find_scores(query, scratch);
  const Task task = make_task(shape_, block(query.slot, 0), block_size_, query, scratch);
  if (precision_ == Precision::kFloat32) {
    run_for_this_cpu<WeighFloat>(&task);
    return;
  }
#if defined(SURTITLE_VNNI)
  mix_bytes(task, layout_of(shape_.heads, shape_.d, precision_));
#endif
}

void CpuCache::score(const Query& query, Scratch& scratch, float* scores) const {
  find_scores(query, scratch);
  for (int h = 0; h < shape_.heads; ++h)
    scores = std::copy_n(scratch.scores.data() + h * padded(query.visible), query.visible, scores);
}

void CpuCache::release(int slot, int positions) {
  const auto begin = static_cast<std::size_t>(slot) * slot_size_;
  const auto blocks = static_cast<std::size_t>((positions + kBlock - 1) / kBlock);
  memory_.release(begin + kKept / kBlock * block_size_, begin + blocks * block_size_);
}

}  // namespace surtitle
