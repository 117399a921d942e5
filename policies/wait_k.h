// wait-k (Ma et al. 2019): read k tokens first, then one for each token written.
#pragma once

#include "policies/policy.h"

namespace surtitle {

class WaitKPolicy final : public Policy {
 public:
  // Throws std::invalid_argument unless k is at least 1.
  explicit WaitKPolicy(int k);

  int visible_source(int target_index, double aligned_position) const override;
  std::string name() const override { return "wait-k"; }
  std::string spec() const override;

  int k() const noexcept { return k_; }

 private:
  int k_;
};

}  // namespace surtitle
