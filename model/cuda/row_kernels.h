// Kernels that work on rows one by one: where a step begins, norms, biases, the likeliest token.
//
// A row is a token of whatever sentence. Where it belongs stands in `places`; a row whose slot is
// -1 takes no part, and what it leaves in buffers means nothing.
//
// The state x is float32; what products read (h) is in the storage type T. Threads of a warp read
// neighbouring channels, so that any width is read whole.
#pragma once

#include "model/cuda/module.h"
#include "model/cuda/platform.h"

namespace surtitle::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kRowWarps = 4;  // rows of a block, a warp each

// The slot of a row that takes no part.
inline constexpr int kNowhere = -1;

struct Place {
  int slot;
  int position;
};

// On the device.
struct NormView {
  const float* gain;  // nullptr: no norm
  const float* bias;
};

SURTITLE_DEVICE float warp_sum(float value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
  return value;
}

// A warp's row: h = norm(x), and x likewise where `keep`. Without a norm h = x.
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

// The row of this warp; -1 where there is none.
SURTITLE_DEVICE int warp_row(int rows) {
  const int row = block_index() * kRowWarps + thread_index() / kWarp;
  return row < rows ? row : -1;
}

// Embeddings and positions of a step's rows, and the first norm.
template <typename T>
struct Begin {
  const cuda_module::EncodeRow* encode;  // one of both
  const cuda_module::DecodeRow* decode;
  int rows;
  const T* table;  // [vocabulary, width]
  const float* sinusoids;
  float table_scale;
  int width;
  NormView norm;
  Place* places;  // written
  float* x;
  T* h;
  // Of decoder steps.
  cuda_module::Outcome* outcomes;
  double* sums;       // [slots, layers]: increments up to the last complete step
  double* step_sums;  // with those of the step under way
  int layers;
};

// A complete step's sums become those that the next one starts from.
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
  Place place{};
  int token = 0;
  if (a.decode != nullptr) {
    const auto step = a.decode[row];
    place = {step.slot, step.target_index};
    token = step.previous;
    if (lane == 0) a.outcomes[row] = {0, 0, 0};
    if (place.slot != kNowhere) begin_sums(step, a.sums, a.step_sums, a.layers);
  } else {
    place = {a.encode[row].slot, a.encode[row].position};
    token = a.encode[row].token;
  }
  if (lane == 0) a.places[row] = place;
  if (place.slot == kNowhere) return;
  const T* embedding = a.table + static_cast<std::size_t>(token) * a.width;
  const float* wave = a.sinusoids + static_cast<std::size_t>(place.position) * a.width;
  float* x = a.x + static_cast<std::size_t>(row) * a.width;
  for (int c = lane; c < a.width; c += kWarp)
    x[c] = to_float(embedding[c]) * a.table_scale + wave[c];
  normalise(x, a.norm, /*keep=*/false, a.h + static_cast<std::size_t>(row) * a.width, a.width);
}

// The end of a sub-layer whose product was added to x: its bias, and the next norm.
template <typename T>
struct EndSublayer {
  const Place* places;
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
  if (row < 0 || a.places[row].slot == kNowhere) return;
  float* x = a.x + static_cast<std::size_t>(row) * a.width;
  for (int c = thread_index() % kWarp; c < a.width; c += kWarp) x[c] += a.bias[c];
  normalise(x, a.norm, a.keep, a.h + static_cast<std::size_t>(row) * a.width, a.width);
}

// The feed-forward's inner rows: y = max(0, x + bias). A block a row.
template <typename T>
struct BiasRelu {
  const Place* places;
  int width;
  const float* x;
  const float* bias;
  T* y;
};

template <typename T>
SURTITLE_KERNEL void bias_relu(BiasRelu<T> a) {
  const int row = block_index();
  if (a.places[row].slot == kNowhere) return;
  const auto first = static_cast<std::size_t>(row) * a.width;
  for (int c = thread_index(); c < a.width; c += block_threads())
    a.y[first + c] = from_float<T>(fmaxf(0.0F, a.x[first + c] + a.bias[c]));
}

// The likeliest token, of those not banned, of each row that is still taking part; of equals the
// first. A block a row, with two words of shared memory for each warp.
template <typename T>
struct Choose {
  const Place* places;
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
SURTITLE_KERNEL void choose(Choose<T> a) {
  const int row = block_index();
  if (a.places[row].slot == kNowhere) return;
  const T* logits = a.logits + static_cast<std::size_t>(row) * a.vocabulary;
  // Should no logit be a number, this stays: a token that there is.
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
