#include "model/cpu/kv_cache.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "model/cpu/byte_kernels.h"
#include "model/cpu/cached_attention.h"
#include "model/cpu/int8_kv_cache.h"
#include "model/cpu/simd.h"

namespace surtitle {
namespace {

constexpr int kKept = 64;          // positions whose memory a slot keeps
constexpr std::size_t kLine = 64;  // cache line of the processor

std::size_t up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

std::size_t block_size_of(const KvCache::Shape& shape, Precision precision) {
  if (precision == Precision::kInt8) return ByteBlock(shape.heads, shape.d).size;
  const auto width = static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(shape.d);
  return up(width * 2 * kCacheBlock * sizeof(float), kLine);
}

template <typename Vector>
struct ScoreFloat {
  static constexpr std::size_t kSums = 4;  // computed together, to hide an addition's latency

  [[gnu::always_inline]] static void run(const CachedAttention* task) {
    const auto& query = task->query;
    const auto d = task->d;
    const auto stride = padded(query.visible);
    for (int first = 0; first < query.visible; first += kCacheBlock) {
      const auto* keys = reinterpret_cast<const float*>(
          task->blocks + static_cast<std::size_t>(first / kCacheBlock) * task->block_size);
      for (std::ptrdiff_t h = 0; h < task->heads; ++h) {
        for (int lane = 0; lane < kCacheBlock; lane += kLanes<Vector>) {
          float* scores = task->scores + h * stride + first + lane;
          if (query.additive) {
            score<true>(*task, keys + lane, h * d, scores);
          } else {
            score<false>(*task, keys + lane, h * d, scores);
          }
        }
      }
    }
  }

  // Scores of one head whose components begin at `first`.
  template <bool kAdditive>
  [[gnu::always_inline]] static void score(const CachedAttention& task, const float* keys,
                                           std::ptrdiff_t first, float* scores) {
    std::array<Vector, kSums> sums = {};
    const std::ptrdiff_t end = first + task.d;
    std::ptrdiff_t c = first;
    for (; c + static_cast<std::ptrdiff_t>(kSums) <= end; c += kSums) {
      SURTITLE_UNROLL
      for (std::size_t i = 0; i < kSums; ++i) {
        add<kAdditive>(task.query, keys, c + static_cast<std::ptrdiff_t>(i), sums[i]);
      }
    }
    for (; c < end; ++c) add<kAdditive>(task.query, keys, c, sums[0]);
    store(scores, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  }

  template <bool kAdditive>
  [[gnu::always_inline]] static void add(const KvCache::Query& query, const float* keys,
                                         std::ptrdiff_t c, Vector& sum) {
    Vector key;
    load(key, keys + c * kCacheBlock);
    if constexpr (kAdditive) {
      add_tangent(sum, key, query.query[c], query.additive[c]);
    } else {
      sum += key * query.query[c];
    }
  }
};

// Softmax and the weighted sum of values.
template <typename Vector>
struct MixFloat {
  [[gnu::always_inline]] static void run(const CachedAttention* task) {
    const auto& query = task->query;
    const auto d = task->d;
    const auto width = static_cast<std::size_t>(task->heads * d);
    const auto stride = padded(query.visible);
    for (std::ptrdiff_t h = 0; h < task->heads; ++h) {
      float* scores = task->scores + h * stride;
      float inverse = exp_weights<Vector>(scores, bias_of(query, h), query.visible);
      inverse = blend(scores, inverse, query, h);
      show_weights(*task, h, scores, inverse);
      for (std::ptrdiff_t c = 0; c < d; c += kLanes<Vector>) {
        Vector sum = {};
        const auto there =
            static_cast<std::size_t>(std::min<std::ptrdiff_t>(kLanes<Vector>, d - c));
        for (int j = 0; j < query.visible; ++j) {
          const auto* value =
              reinterpret_cast<const float*>(
                  task->blocks + static_cast<std::size_t>(j / kCacheBlock) * task->block_size) +
              (kCacheBlock + static_cast<std::size_t>(j % kCacheBlock)) * width + h * d + c;
          Vector part = {};
          if (there == kLanes<Vector>) {
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

}  // namespace

KvCache::KvCache(const Shape& shape, Precision precision)
    : shape_(shape), precision_(precision), block_size_(block_size_of(shape, precision)) {
  const auto blocks = static_cast<std::size_t>((shape.positions + kCacheBlock - 1) / kCacheBlock);
  slot_size_ = up(blocks * block_size_, 4096);
  memory_ = DemandPagedMemory(static_cast<std::size_t>(shape.slots) * slot_size_);
}

std::byte* KvCache::block(int slot, std::int64_t position) const {
  return memory_.data() + static_cast<std::size_t>(slot) * slot_size_ +
         static_cast<std::size_t>(position / kCacheBlock) * block_size_;
}

std::size_t KvCache::bytes_per_position() const { return block_size_ / kCacheBlock; }

void KvCache::write(int slot, int position, const float* key, const float* value,
                    Scratch& scratch) {
  auto* at = block(slot, position);
  const int lane = position % kCacheBlock;
  const std::ptrdiff_t width = std::ptrdiff_t{shape_.heads} * shape_.d;
  if (precision_ == Precision::kFloat32) {
    auto* keys = reinterpret_cast<float*>(at);
    for (std::ptrdiff_t c = 0; c < width; ++c) keys[c * kCacheBlock + lane] = key[c];
    std::copy_n(value, width, keys + (kCacheBlock + lane) * width);
    return;
  }
  byte_kernels()->write(shape_, at, lane, key, value, scratch);
}

void KvCache::copy(int from, int to, int positions) {
  const auto blocks = static_cast<std::size_t>((positions + kCacheBlock - 1) / kCacheBlock);
  std::memcpy(block(to, 0), block(from, 0), blocks * block_size_);
}

CachedAttention KvCache::find_scores(const Query& query, Scratch& scratch) const {
  const auto needed = static_cast<std::size_t>(shape_.heads * padded(query.visible));
  if (scratch.scores.size() < needed) scratch.scores.resize(needed);
  const CachedAttention task{.blocks = block(query.slot, 0),
                             .block_size = block_size_,
                             .heads = shape_.heads,
                             .d = shape_.d,
                             .query = query,
                             .scores = scratch.scores.data()};
  if (precision_ == Precision::kFloat32) {
    run_for_this_cpu<ScoreFloat>(&task);
  } else {
    byte_kernels()->score(task, scratch);
  }
  return task;
}

void KvCache::attend(const Query& query, Scratch& scratch) const {
  const CachedAttention task = find_scores(query, scratch);
  if (precision_ == Precision::kFloat32) {
    run_for_this_cpu<MixFloat>(&task);
  } else {
    byte_kernels()->mix(task, scratch);
  }
}

void KvCache::score(const Query& query, Scratch& scratch, float* scores) const {
  const CachedAttention task = find_scores(query, scratch);
  for (int h = 0; h < shape_.heads; ++h)
    scores = std::copy_n(task.scores + h * padded(query.visible), query.visible, scores);
}

void KvCache::release(int slot, int positions) {
  const auto begin = static_cast<std::size_t>(slot) * slot_size_;
  const auto blocks = static_cast<std::size_t>((positions + kCacheBlock - 1) / kCacheBlock);
  memory_.release(begin + kKept / kCacheBlock * block_size_, begin + blocks * block_size_);
}

}  // namespace surtitle
