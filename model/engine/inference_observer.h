// Observes encoder states, cross-attention and logits while an Inference runs.
//
// Thread-safety: each function may be called from several threads at once, for different slots.
#pragma once

#include <optional>
#include <span>

namespace surtitle {

// A number by which a variant controls a step, and its name: "gate" of a Gaussian mixture that
// predicts it, "temperature" of SACT.
struct AttentionControl {
  const char* name = "";
  float value = 0;
};

// One decoder layer's cross-attention in one step of one sentence.
struct ObservedAttention {
  int slot = 0;
  int target_index = 0;  // from 0
  int layer = 0;         // of the decoder, from 0
  float p = 0;           // the aligned position that the policy gets: GMA's, the furthest stop of
                         // monotonic heads, or the furthest mean of a mixture that accumulates; the
                         // target index if the layer has none
  int visible = 0;       // source tokens that the layer saw
  std::span<const float> weights;  // [heads, visible]; each head sums to 1, except of mixtures
  std::optional<AttentionControl> control;  // in every step of the layer, or in none
};

// A part of the logits of one step of one sentence. Tokens that the step may not choose have minus
// infinity.
struct ObservedLogits {
  int slot = 0;
  int target_index = 0;           // from 0
  int first = 0;                  // token of logits[0]
  std::span<const float> logits;  // of successive tokens
};

// The encoder's state of one source token.
struct ObservedState {
  int slot = 0;
  int position = 0;              // from 0
  std::span<const float> state;  // [d_model], after the stack's last norm
};

class InferenceObserver {
 public:
  InferenceObserver() = default;
  InferenceObserver(const InferenceObserver&) = delete;
  InferenceObserver& operator=(const InferenceObserver&) = delete;
  virtual ~InferenceObserver() = default;

  // Arguments are valid during the call. Layers arrive in order; a repeated step is observed again.
  virtual void encoded(const ObservedState& /*state*/) {}
  virtual void attended(const ObservedAttention& /*attention*/) {}
  virtual void predicted(const ObservedLogits& /*logits*/) {}
};

}  // namespace surtitle
