// Draws the policy of a training batch, so that one model serves a range of latencies.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "policies/spec_range.h"

namespace surtitle {

// Specs as make_policy() takes them, where one value may be a range LOW..HIGH: "gma:delta=0.5..3",
// "wait-k:k=1..9" (whole numbers where both ends are written whole). Each spec is equally likely,
// each value of its range too. Multi-path wait-k (Elbayad et al. 2020) is {"wait-k:k=1..9",
// "full-sentence"}.
class PolicySampler {
 public:
  // Throws std::invalid_argument, as make_policy() does.
  explicit PolicySampler(std::span<const std::string> specs);

  PolicyPtr draw(std::mt19937_64& random) const;

  // The policies' names, each once, in the order of the specs.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<SpecRange> choices_;
  std::vector<std::string> names_;
};

}  // namespace surtitle
