// For those who want to look on: the cross-attention of each decoder step.
//
// Thread-safety: attended() may be called from several threads at once, for different slots.
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
  float p = 0;           // GMA's aligned position; the target index where the model predicts none
  int visible = 0;       // source tokens that the layer saw
  std::span<const float> weights;  // [heads, visible]; each head's sum is 1, but for mixtures
  std::optional<AttentionControl> control;  // the layer's, in every step; or none
};

// The encoder's state of one source token.
struct ObservedState {
  int slot = 0;
  int position = 0;              // from 0
  std::span<const float> state;  // [d_model], after the stack's last norm
};

class AttentionObserver {
 public:
  AttentionObserver() = default;
  AttentionObserver(const AttentionObserver&) = delete;
  AttentionObserver& operator=(const AttentionObserver&) = delete;
  virtual ~AttentionObserver() = default;

  // Layers come in order. A step that is done again is told again. The weights are the caller's.
  virtual void attended(const ObservedAttention& attention) = 0;

  // The state is the caller's.
  virtual void encoded(const ObservedState& /*state*/) {}
};

}  // namespace surtitle
