// Kernels for self- and cross-attention to cached keys and values.
//
// GMA's alignment is part of cross-attention. A block takes one row and reads the row's visible
// positions in place, once each.
//
// A cache of one layer is [slot, position, 2W], keys then values, with W = heads * channels of a
// head. A thread holds one pack of 16 bytes of channels (a "lane" of the row). The threads of a
// head are neighbours in a warp, and shuffles sum its score. That takes a power of two of threads:
// if a head has fewer packs, its last threads have no channels and add 0. Positions are assigned to
// `phases` in turn. Each phase keeps a running softmax: its largest score, its sum, its weighted
// values. The phases are merged at the end.
//
// GMA: Zhang & Feng 2022, equations 4, 5 and 7, in the form of model/torch/gma.h. Prior, mask,
// softmax and weighting are one pass.
#pragma once

#include <stdexcept>
#include <string>

#include "model/cuda/module.h"
#include "model/cuda/platform.h"
#include "model/cuda/row_kernels.h"
#include "model/engine/bounds.h"

namespace surtitle::cuda {

// 16 bytes, loaded and stored together.
template <typename T>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / static_cast<int>(sizeof(T));
  T values[kSize];
};

// Division of a row of `width` channels among the threads of a block.
struct AttentionShape {
  int lanes;   // threads of one position
  int phases;  // positions in parallel
  int group;   // threads of a head, a power of two
  int packs;   // of a head; the group's threads after them have no channels
};

// Throws std::runtime_error if the kernels cannot run a model with such heads.
template <typename T>
AttentionShape attention_shape(int heads, int head) {
  constexpr int kThreads = 128;      // of a block, approximately
  constexpr int kMaxThreads = 1024;  // of a block, the device's limit
  const auto refused = [&](const std::string& allowed) {
    return std::runtime_error("a model with " + std::to_string(heads) + " heads of " +
                              std::to_string(head) +
                              " channels does not run on CUDA; allowed: " + allowed);
  };
  if (head < cuda_module::kHeadStep || head % cuda_module::kHeadStep != 0 ||
      head > cuda_module::kMaxHead)
    throw refused("multiples of " + std::to_string(cuda_module::kHeadStep) + " channels, up to " +
                  std::to_string(cuda_module::kMaxHead));
  const int packs = head / Pack<T>::kSize;
  int group = 1;
  while (group < packs) group *= 2;
  const int lanes = heads * group;
  int unit = kWarp;  // phases that fill whole warps
  for (int even = lanes; even % 2 == 0 && unit > 1; even /= 2) unit /= 2;
  if (lanes * unit > kMaxThreads)
    throw refused("heads that need up to " + std::to_string(kMaxThreads) + " threads, not " +
                  std::to_string(lanes * unit));
  const int units = kThreads / (lanes * unit);
  return {lanes, unit * (units > 1 ? units : 1), group, packs};
}

// Returns the bytes of shared memory: floats for every thread's largest score, sum and values.
template <typename T>
std::size_t attention_shared(const AttentionShape& shape) {
  return sizeof(float) * static_cast<std::size_t>(shape.lanes * shape.phases) *
         (2 + Pack<T>::kSize);
}

// The logarithm of a prior over positions j: 0, or GMA's around p.
struct Prior {
  bool gaussian;
  float p;

  SURTITLE_DEVICE float operator()(int j) const {
    if (!gaussian) return 0;
    const float deviations = (p - static_cast<float>(j)) / (p / 2);
    return -0.5F * deviations * deviations;
  }
};

// Computes softmax(query key^T + prior) value over positions [0, visible) of `cache` into context
// [W]. REQUIRES: all threads of the block call it; visible is at least 1.
template <typename T>
SURTITLE_DEVICE void attend(const float* query, const float* bias, const T* cache, int visible,
                            const Prior& prior, const AttentionShape& shape, T* context) {
  constexpr int kSize = Pack<T>::kSize;
  const int lane = thread_index() % shape.lanes;
  const int phase = thread_index() / shape.lanes;
  const int pack = lane % shape.group;
  const bool has_channels = pack < shape.packs;
  const int channel = (lane / shape.group * shape.packs + pack) * kSize;
  const int width = shape.lanes / shape.group * shape.packs * kSize;
  float q[kSize];
  float values[kSize];
  for (int i = 0; i < kSize; ++i) {
    q[i] = has_channels ? query[channel + i] + bias[channel + i] : 0;
    values[i] = 0;
  }
  float largest = -INFINITY;
  float sum = 0;
  // All threads run the same number of rounds, because shuffles need whole warps.
  for (int first = 0; first < visible; first += shape.phases) {
    const int j = first + phase;
    const bool seen = j < visible;
    Pack<T> key{};
    Pack<T> value{};
    if (seen && has_channels) {
      const T* at = cache + static_cast<std::size_t>(j) * 2 * width + channel;
      key = *reinterpret_cast<const Pack<T>*>(at);
      value = *reinterpret_cast<const Pack<T>*>(at + width);
    }
    float score = 0;
    for (int i = 0; i < kSize; ++i) score += q[i] * to_float(key.values[i]);
    for (int mask = shape.group / 2; mask > 0; mask /= 2) score += shuffle_xor(score, mask);
    if (!seen) continue;
    score += prior(j);
    const float top = fmaxf(largest, score);
    const float kept = expf(largest - top);
    const float weight = expf(score - top);
    largest = top;
    sum = sum * kept + weight;
    for (int i = 0; i < kSize; ++i)
      values[i] = values[i] * kept + weight * to_float(value.values[i]);
  }

  const int threads = shape.lanes * shape.phases;
  float* shared = dynamic_shared();
  shared[thread_index()] = largest;
  shared[threads + thread_index()] = sum;
  for (int i = 0; i < kSize; ++i) shared[(2 + i) * threads + thread_index()] = values[i];
  sync_threads();
  if (phase != 0 || !has_channels) return;
  for (int other = 1; other < shape.phases; ++other) {
    const int at = other * shape.lanes + lane;
    const float top = fmaxf(largest, shared[at]);
    const float kept = expf(largest - top);
    const float weight_of_other = expf(shared[at] - top);
    largest = top;
    sum = sum * kept + shared[threads + at] * weight_of_other;
    for (int i = 0; i < kSize; ++i)
      values[i] = values[i] * kept + shared[(2 + i) * threads + at] * weight_of_other;
  }
  Pack<T> result;
  for (int i = 0; i < kSize; ++i) result.values[i] = from_float<T>(values[i] / sum);
  *reinterpret_cast<Pack<T>*>(context + channel) = result;
}

// Writes keys and values of a row, with their bias, to a cache's position, by `threads` threads.
template <typename T>
SURTITLE_DEVICE void write_cache(const float* key_value, const float* bias, T* position, int width,
                                 int threads) {
  constexpr int kSize = Pack<T>::kSize;
  for (int c = thread_index() * kSize; c < 2 * width; c += threads * kSize) {
    Pack<T> pack;
    for (int i = 0; i < kSize; ++i) pack.values[i] = from_float<T>(key_value[c + i] + bias[c + i]);
    *reinterpret_cast<Pack<T>*>(position + c) = pack;
  }
}

// One cache of all layers: [layer, slot, position, 2W].
template <typename T>
struct CacheView {
  T* data;
  int slots;
  int positions;
  int width;  // W

  SURTITLE_DEVICE T* at(int layer, int slot) const {
    return data + (static_cast<std::size_t>(layer) * slots + slot) * positions * 2 * width;
  }
};

// Writes keys and values of new source tokens. One block for each row and layer.
template <typename T>
struct WriteSource {
  const RowSlot* places;
  const float* key_value;  // [rows, stride]; layer n begins at 2W n
  int stride;
  const float* bias;
  CacheView<T> cache;
  int first_layer;
};

template <typename T>
SURTITLE_KERNEL void write_source(WriteSource<T> a) {
  const auto place = a.places[block_index()];
  if (place.slot == kInactive) return;
  const int size = 2 * a.cache.width;
  write_cache(a.key_value + static_cast<std::size_t>(block_index()) * a.stride + block_row() * size,
              a.bias + block_row() * size,
              a.cache.at(a.first_layer + block_row(), place.slot) +
                  static_cast<std::size_t>(place.position) * size,
              a.cache.width, block_threads());
}

// Attention of a row to its sentence, up to its own position.
template <typename T>
struct SelfAttention {
  const RowSlot* places;
  const float* projected;  // [rows, 3W]: query, key, value
  const float* bias;       // [3W]
  CacheView<T> cache;
  int layer;
  bool write;  // write the row's key and value; false: they are in the cache
  AttentionShape shape;
  T* context;  // [rows, W]
};

template <typename T>
SURTITLE_KERNEL void self_attention(SelfAttention<T> a) {
  const int row = block_index();
  const auto place = a.places[row];
  if (place.slot == kInactive) return;
  const int width = a.cache.width;
  const float* projected = a.projected + static_cast<std::size_t>(row) * 3 * width;
  T* cache = a.cache.at(a.layer, place.slot);
  if (a.write) {
    write_cache(projected + width, a.bias + width,
                cache + static_cast<std::size_t>(place.position) * 2 * width, width,
                block_threads());
    sync_threads();
  }
  attend(projected, a.bias, cache, place.position + 1, Prior{false, 0}, a.shape,
         a.context + static_cast<std::size_t>(row) * width);
}

// Cross-attention of a decoder step, alignment included. A row that needs more source than is
// encoded reports so and leaves the batch.
template <typename T>
struct CrossAttention {
  RowSlot* places;
  const cuda_module::DecodeRow* steps;
  cuda_module::Outcome* outcomes;
  const float* projected;  // [rows, stride]: query [W]; for GMA then query wp [C]
  int stride;
  const float* bias;
  const float* vp;  // [C]; nullptr: dot-product attention
  int model_width;  // C
  double* sums;     // [slots, layers]
  double* step_sums;
  int layers;
  int layer;
  CacheView<T> cache;
  AttentionShape shape;
  T* context;
};

// Returns the block's sum of tanh(hidden) vp, in every thread.
SURTITLE_DEVICE float block_dot_tanh(const float* hidden, const float* bias, const float* vp,
                                     int width) {
  float sum = 0;
  for (int c = thread_index(); c < width; c += block_threads())
    sum += tanhf(hidden[c] + bias[c]) * vp[c];
  sum = warp_sum(sum);
  float* shared = dynamic_shared();
  if (thread_index() % kWarp == 0) shared[thread_index() / kWarp] = sum;
  sync_threads();
  sum = 0;
  for (int warp = 0; warp < block_threads() / kWarp; ++warp) sum += shared[warp];
  sync_threads();  // all threads have read before `shared` is reused
  return sum;
}

// Returns p of equation 4.
template <typename T>
SURTITLE_DEVICE float aligned_position(const CrossAttention<T>& a,
                                       const cuda_module::DecodeRow& step, const float* projected) {
  if (a.vp == nullptr) return static_cast<float>(step.target_index);
  const int width = a.cache.width;
  const float increment =
      step.target_index == 0
          ? 0.0F
          : expf(block_dot_tanh(projected + width, a.bias + width, a.vp, a.model_width));
  const auto at = static_cast<std::size_t>(step.slot) * a.layers + a.layer;
  const double sum = a.sums[at] + static_cast<double>(increment);
  if (thread_index() == 0) a.step_sums[at] = sum;
  return static_cast<float>(fmin(fmax(sum, kMinPosition), kMaxPosition));
}

// Returns the count of GmaPolicy::visible_source(), within the step's limits.
SURTITLE_DEVICE int visible_source(const cuda_module::DecodeRow& step, float position) {
  const float count = ceilf(position + step.alignment_offset);
  int wanted = 1;  // also if the position is NaN
  if (count > 1) wanted = count < 2147483648.0F ? static_cast<int>(count) : 2147483647;
  if (wanted < step.min_visible) wanted = step.min_visible;
  return wanted < step.max_visible ? wanted : step.max_visible;
}

template <typename T>
SURTITLE_KERNEL void cross_attention(CrossAttention<T> a) {
  const int row = block_index();
  if (a.places[row].slot == kInactive) return;
  const auto step = a.steps[row];
  const float* projected = a.projected + static_cast<std::size_t>(row) * a.stride;
  const float p = aligned_position(a, step, projected);
  const int wanted = visible_source(step, p);
  auto& outcome = a.outcomes[row];
  if (wanted > step.encoded) {
    // A later thread may find the row outside the batch and return above, with the same result.
    if (thread_index() == 0) {
      outcome.required_source = wanted;
      a.places[row].slot = kInactive;
    }
    return;
  }
  if (thread_index() == 0 && wanted > outcome.visible) outcome.visible = wanted;
  attend(projected, a.bias, a.cache.at(a.layer, step.slot), wanted, Prior{a.vp != nullptr, p},
         a.shape, a.context + static_cast<std::size_t>(row) * a.cache.width);
}

}  // namespace surtitle::cuda
