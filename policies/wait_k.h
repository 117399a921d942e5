// wait-k (Ma et al. 2019): read k tokens first, then one for each token written.
//
// Where translations are longer than their sources, writing falls behind what has been read.
// Catch-up (their equation 11) leaves out one read in every 1 / c writes: with target steps t from
// 1, g(t) = min(k + t - 1 - floor(c t), |x|).
#pragma once

#include <cstdint>

#include "policies/policy.h"

namespace surtitle {

class WaitKPolicy final : public Policy {
 public:
  // k: tokens read before the first write. catchup: c, about 1 - |source| / |target|; 0 is plain
  // wait-k, more lowers the delay towards a sentence's end. Throws std::invalid_argument unless k
  // is at least 1 and catchup at least 0 and below 1.
  explicit WaitKPolicy(int k, float catchup = 0);

  int visible_source(int target_index, double aligned_position) const override;
  std::string name() const override { return "wait-k"; }
  std::string spec() const override;

  int k() const noexcept { return k_; }
  float catchup() const noexcept { return catchup_; }

 private:
  int k_;
  float catchup_;
  // The rate in whole numbers: 0.7 times 10 is 7 as it is written, and no rounding ever takes a
  // read back.
  std::int64_t millionths_ = 0;
};

}  // namespace surtitle
