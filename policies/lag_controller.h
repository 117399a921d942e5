// Holds a budget of lag by moving a policy's parameter between sentences.
//
// Policy "auto:lag=3" is no policy of its own: a sentence is translated under gma or wait-k, with a
// delta or k that makes the average lagging of the sentences so far come near 3 words. What a
// sentence's translation is still depends on the sentences before it alone, never on timing.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policies/policy.h"
#include "policies/registry.h"

namespace surtitle {

class LagController {
 public:
  // `lag`: the average lagging to hold, source words. `policy`: the name of one that can be
  // steered. REQUIRES: lag is positive and finite, can_steer(policy).
  LagController(double lag, std::string_view policy);

  // gma, by its delta from 0 to 6, or wait-k, by its k from 1 to 20.
  static bool can_steer(std::string_view policy);

  // For the next sentence.
  const PolicyPtr& policy() const noexcept { return policy_; }

  // "auto:lag=3".
  std::string spec() const;

  // A sentence was translated with this average lagging, source words. True where policy() is
  // another one now.
  bool completed(double average_lagging);

 private:
  void make_policy();

  double lag_;
  bool gma_;
  double value_;                  // of the parameter
  std::optional<double> recent_;  // average lagging, the last sentences weighing most
  PolicyPtr policy_;
};

// What stands where a policy is asked for: a policy, or a lag to hold.
struct PolicyRequest {
  PolicyPtr policy;           // nullptr where `lag` is given
  std::optional<double> lag;  // source words
};

// "auto[:lag=NUMBER]" or what make_policy() takes; throws as that does.
PolicyRequest parse_policy_request(std::string_view spec);

// Policy auto, as policy_help() has the others.
const PolicyHelp& lag_policy_help();

}  // namespace surtitle
