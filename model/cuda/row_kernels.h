// Kernels that work on single rows: embeddings, norms, biases, the likeliest token.
//
// A row is a token of any sentence. `places` has its slot and position. A row whose slot is -1 is
// inactive, and its buffers are undefined.
//
// The state x is float32; the input h of products is in the storage type T. Threads of a warp read
// neighbouring channels, so that memory accesses coalesce at any width.
#pragma once

#include "model/cuda/module.h"
#include "model/cuda/platform.h"

namespace surtitle::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kRowWarps = 4;  // rows of a block, one warp each

// The slot of an inactive row.
inline constexpr int kInactive = -1;

struct RowSlot {
  int slot;
  int position;
};

// A norm's parameters in the device's memory.
struct NormView {
  const float* gain;  // nullptr: no norm
  const float* bias;
};

SURTITLE_DEVICE float warp_sum(float value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
  return value;
}

// Normalises a warp's row: h = norm(x), and x = h if `keep`. Without a norm h = x.
template <typename T>
SURTITLE_DEVICE void normalise(float* x, const NormView& norm, bool keep, T* h, int width) {
  const int lane = thread_index() % kWarp;
  if (norm.gain == nullptr) {
    for (int c = lane; c < width; c += kWarp) h[c] = from_float<T>(x[c]);
    return;
  }
  const auto channels = static_cast<float>(width);
  float sum = 0;
  for (int c = lane; c < width; c += kWarp) sum += x[c];
  const float mean = warp_sum(sum) / channels;
  float squares = 0;
  for (int c = lane; c < width; c += kWarp) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = 1.0F / sqrtf(warp_sum(squares) / channels + 1e-5F);
  for (int c = lane; c < width; c += kWarp) {
    const float value = (x[c] - mean) * scale * norm.gain[c] + norm.bias[c];
    if (keep) x[c] = value;
    h[c] = from_float<T>(value);
  }
}

// Returns the row of this warp, or -1 if there is none.
SURTITLE_DEVICE int warp_row(int rows) {
  const int row = block_index() * kRowWarps + thread_index() / kWarp;
  return row < rows ? row : -1;
}

// Adds embeddings and positions of a step's rows, and applies the first norm.
template <typename T>
struct Begin {
  const cuda_module::EncodeRow* encode;  // either this or `decode`
  const cuda_module::DecodeRow* decode;
  int rows;
  const T* table;  // [vocabulary, width]
  const float* sinusoids;
  float table_scale;
  int width;
  NormView norm;
  RowSlot* places;  // output
  float* x;
  T* h;
  // Of decoder steps.
  cuda_module::Outcome* outcomes;
  double* sums;       // [slots, layers]: increments up to the last complete step
  double* step_sums;  // plus the increments of the step under way
  int layers;
};

// Makes a complete step's sums the start of the next step.
SURTITLE_DEVICE void begin_sums(const cuda_module::DecodeRow& step, double* sums, double* step_sums,
                                int layers) {
  for (int layer = thread_index() % kWarp; layer < layers; layer += kWarp) {
    const auto at = static_cast<std::size_t>(step.slot) * layers + layer;
    if (step.target_index == 0) {
      sums[at] = 0;
    } else if (step.advance != 0) {
      sums[at] = step_sums[at];
    }
  }
}

template <typename T>
SURTITLE_KERNEL void begin(Begin<T> a) {
  const int row = warp_row(a.rows);
  if (row < 0) return;
  const int lane = thread_index() % kWarp;
  RowSlot place{};
  int token = 0;
  if (a.decode != nullptr) {
    const auto step = a.decode[row];
    place = {step.slot, step.target_index};
    token = step.previous;
    if (lane == 0) a.outcomes[row] = {0, 0, 0};
    if (place.slot != kInactive) begin_sums(step, a.sums, a.step_sums, a.layers);
  } else {
    place = {a.encode[row].slot, a.encode[row].position};
    token = a.encode[row].token;
  }
  if (lane == 0) a.places[row] = place;
  if (place.slot == kInactive) return;
  const T* embedding = a.table + static_cast<std::size_t>(token) * a.width;
  const float* wave = a.sinusoids + static_cast<std::size_t>(place.position) * a.width;
  float* x = a.x + static_cast<std::size_t>(row) * a.width;
  for (int c = lane; c < a.width; c += kWarp)
    x[c] = to_float(embedding[c]) * a.table_scale + wave[c];
  normalise(x, a.norm, /*keep=*/false, a.h + static_cast<std::size_t>(row) * a.width, a.width);
}

// Ends a sub-layer whose product was added to x: adds its bias, applies the next norm.
template <typename T>
struct EndSublayer {
  const RowSlot* places;
  int rows;
  int width;
  const float* bias;
  NormView norm;
  bool keep;  // post-norm: the norm's result is the state
  float* x;
  T* h;
};

template <typename T>
SURTITLE_KERNEL void end_sublayer(EndSublayer<T> a) {
  const int row = warp_row(a.rows);
  if (row < 0 || a.places[row].slot == kInactive) return;
  float* x = a.x + static_cast<std::size_t>(row) * a.width;
  for (int c = thread_index() % kWarp; c < a.width; c += kWarp) x[c] += a.bias[c];
  normalise(x, a.norm, a.keep, a.h + static_cast<std::size_t>(row) * a.width, a.width);
}

// The feed-forward's inner rows: y = max(0, x + bias). One block a row.
template <typename T>
struct BiasRelu {
  const RowSlot* places;
  int width;
  const float* x;
  const float* bias;
  T* y;
};

template <typename T>
SURTITLE_KERNEL void bias_relu(BiasRelu<T> a) {
  const int row = block_index();
  if (a.places[row].slot == kInactive) return;
  const auto first = static_cast<std::size_t>(row) * a.width;
  for (int c = thread_index(); c < a.width; c += block_threads())
    a.y[first + c] = from_float<T>(fmaxf(0.0F, a.x[first + c] + a.bias[c]));
}

// Finds the likeliest token, of those not banned, of each active row, the first of equals. One
// block a row, with two words of shared memory for each warp.
template <typename T>
struct ArgmaxLogits {
  const RowSlot* places;
  const cuda_module::DecodeRow* decode;
  const T* logits;  // [rows, vocabulary]
  int vocabulary;
  cuda_module::Outcome* outcomes;
};

struct Best {
  float logit;
  int token;
};

SURTITLE_DEVICE Best better(const Best& a, const Best& b) {
  return b.logit > a.logit || (b.logit == a.logit && b.token < a.token) ? b : a;
}

SURTITLE_DEVICE bool is_banned(const cuda_module::DecodeRow& step, int token) {
  bool banned = false;
  for (const int one : step.banned) banned |= one == token;
  return banned;
}

SURTITLE_DEVICE Best warp_best(Best best) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    const float logit = shuffle_xor(best.logit, mask);
    const int token = shuffle_xor(best.token, mask);
    best = better(best, {logit, token});
  }
  return best;
}

template <typename T>
SURTITLE_KERNEL void argmax_logits(ArgmaxLogits<T> a) {
  const int row = block_index();
  if (a.places[row].slot == kInactive) return;
  const T* logits = a.logits + static_cast<std::size_t>(row) * a.vocabulary;
  // If every logit is NaN, the result is still a valid token.
  Best best{-INFINITY, 0};
  for (int token = thread_index(); token < a.vocabulary; token += block_threads())
    if (logits[token] > best.logit && !is_banned(a.decode[row], token))
      best = {logits[token], token};
  best = warp_best(best);
  const int warps = block_threads() / kWarp;
  float* shared_logits = dynamic_shared();
  int* shared_tokens = reinterpret_cast<int*>(shared_logits + warps);
  if (thread_index() % kWarp == 0) {
    shared_logits[thread_index() / kWarp] = best.logit;
    shared_tokens[thread_index() / kWarp] = best.token;
  }
  sync_threads();
  if (thread_index() != 0) return;
  for (int warp = 1; warp < warps; ++warp)
    best = better(best, {shared_logits[warp], shared_tokens[warp]});
  a.outcomes[row].token = best.token;
}

}  // namespace surtitle::cuda
