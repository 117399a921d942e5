// Policy that stays k tokens behind the source: wait-k (Ma et al. 2019, "STACL: Simultaneous
// Translation with Implicit Anticipation and Controllable Latency using Prefix-to-Prefix
// Framework").
//
// It reads k tokens first, then one for each token written.
//
// If translations are longer than their sources, writing falls behind reading. Catch-up (their
// equation 11) leaves out one read in every 1 / c writes. With target steps t from 1:
//
//   g(t) = min(k + t - 1 - floor(c t), |x|)
#pragma once

#include <cstdint>

#include "policies/policy.h"

namespace surtitle {

class WaitKPolicy final : public Policy {
 public:
  // k: tokens read before the first write. catchup: c, about 1 - |source| / |target|. 0 is plain
  // wait-k; a larger c lowers the delay towards a sentence's end. Throws std::invalid_argument
  // unless k is at least 1 and catchup at least 0 and below 1.
  explicit WaitKPolicy(int k, float catchup = 0);

  int visible_source(int target_index, double aligned_position) const override;
  std::string name() const override { return "wait-k"; }
  std::string spec() const override;

  int k() const noexcept { return k_; }
  float catchup() const noexcept { return catchup_; }

 private:
  int k_;
  float catchup_;
  // c in whole millionths: 0.7 times 10 is exactly 7, and no rounding makes the count decrease.
  std::int64_t millionths_ = 0;
};

}  // namespace surtitle
