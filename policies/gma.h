// Policy of Gaussian multi-head attention (Zhang & Feng 2022, "Gaussian Multi-head Attention for
// Simultaneous Machine Translation").
//
// A target step sees the source up to the aligned position and `delta` tokens more.
//
// The computation is that of the authors' released code: p + delta is a float32 sum, and its
// ceiling is the number of visible tokens. With p = 0.9 and delta = 1, two tokens are visible. Each
// decoder layer has its own p; the furthest layer decides.
#pragma once

#include "policies/policy.h"

namespace surtitle {

class GmaPolicy final : public Policy {
 public:
  // delta: how many tokens beyond the aligned position a step waits for. A larger delta costs delay
  // and gains quality. Throws std::invalid_argument unless it is finite and at least 0.
  explicit GmaPolicy(float delta);

  int visible_source(int target_index, double aligned_position) const override;
  std::optional<float> alignment_offset() const override { return delta_; }
  std::string name() const override { return "gma"; }
  std::string spec() const override;

  float delta() const noexcept { return delta_; }

 private:
  float delta_;
};

}  // namespace surtitle
