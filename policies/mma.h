// Policy of monotonic multi-head attention (Ma, Pino, Cross, Puzon & Gu 2020, "Monotonic Multihead
// Attention").
//
// A target step reads until every head of every decoder layer has stopped at a source token.
//
// The aligned position of a layer is the whole number at which its furthest head stopped. The token
// there is the last one that the layer sees. A model without such heads gives a position that may
// lie between two tokens; both are visible then, as under gma with delta = 1.
#pragma once

#include "policies/gma.h"

namespace surtitle {

class MmaPolicy final : public Policy {
 public:
  // threshold: a head stops at the first source token with at least this probability of stopping. A
  // higher threshold costs delay and gains quality. Throws std::invalid_argument unless it is above
  // 0 and below 1.
  explicit MmaPolicy(float threshold);

  int visible_source(int target_index, double aligned_position) const override {
    return gma_.visible_source(target_index, aligned_position);
  }
  std::optional<float> alignment_offset() const override { return gma_.alignment_offset(); }
  float stop_threshold() const override { return threshold_; }
  std::string name() const override { return "mma"; }
  std::string spec() const override;

 private:
  float threshold_;
  GmaPolicy gma_{/*delta=*/1};  // sees the token at the aligned position and those before it
};

}  // namespace surtitle
