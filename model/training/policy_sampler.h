// Draws the policy of a training batch; one model then serves several latencies.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "policies/spec_range.h"

namespace surtitle {

// Specs are make_policy()'s, in which one value may be a range LOW..HIGH: "gma:delta=0.5..3",
// "wait-k:k=1..9" (whole numbers if both ends are written so). Each spec is equally likely, and so
// is each value of its range. Multi-path wait-k (Elbayad et al. 2020) is {"wait-k:k=1..9",
// "full-sentence"}.
//
// Thread-safety: immutable after construction.
class PolicySampler {
 public:
  // Throws std::invalid_argument as make_policy() does, and if there is no spec.
  explicit PolicySampler(std::span<const std::string> specs);

  PolicyPtr draw(std::mt19937_64& random) const;

  // The policies' names in the order of the specs, without duplicates.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<SpecRange> choices_;
  std::vector<std::string> names_;
};

}  // namespace surtitle
