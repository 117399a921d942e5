// For those who want to look on: the encoder's state of each source token, and the cross-attention
// of each decoder step.
//
// Thread-safety: each may be called from several threads at once, for different slots.
#pragma once

#include <optional>
#include <span>

namespace surtitle {

// One number by which a variant steers a step, and its name: the "gate" of a Gaussian mixture that
// predicts it, the "temperature" of SACT.
struct AttentionControl {
  const char* name = "";
  float value = 0;
};

// One decoder layer's cross-attention in one step of one sentence.
struct ObservedAttention {
  int slot = 0;
  int target_index = 0;  // from 0
  int layer = 0;         // of the decoder, from 0
  float p = 0;      // the aligned position: GMA's, or where the furthest monotonic head stopped;
                    // the target index where the layer has none
  int visible = 0;  // source tokens that the layer saw
  std::span<const float> weights;  // [heads, visible]; each head's sum is 1, but for mixtures
  std::optional<AttentionControl> control;  // the layer's, in every step; or none
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

  // What is told is the caller's. Layers come in order; a step that is done again is told again.
  virtual void encoded(const ObservedState& /*state*/) {}
  virtual void attended(const ObservedAttention& /*attention*/) {}
};

}  // namespace surtitle
