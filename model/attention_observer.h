// For those who want to look on: the cross-attention of each decoder step.
//
// Thread-safety: attended() may be called from several threads at once, for different slots.
#pragma once

#include <span>

namespace surtitle {

// One decoder layer's cross-attention in one step of one sentence.
struct ObservedAttention {
  int slot = 0;
  int target_index = 0;  // from 0
  int layer = 0;         // of the decoder, from 0
  float p = 0;      // the aligned position: GMA's, or where the furthest monotonic head stopped;
                    // the target index where the layer has none
  int visible = 0;  // source tokens that the layer saw
  std::span<const float> weights;  // [heads, visible]; each head's sum is 1, but for mixtures
};

class AttentionObserver {
 public:
  AttentionObserver() = default;
  AttentionObserver(const AttentionObserver&) = delete;
  AttentionObserver& operator=(const AttentionObserver&) = delete;
  virtual ~AttentionObserver() = default;

  // Layers come in order. A step that is done again is told again. The weights are the caller's.
  virtual void attended(const ObservedAttention& attention) = 0;
};

}  // namespace surtitle
