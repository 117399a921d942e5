// Holds a lag by changing a policy's parameter between sentences.
//
// The policy "auto:lag=3" translates a sentence under gma, wait-k or alignatt. It chooses delta, k
// or f so that the average lagging of the recent sentences approaches 3 words. A sentence's
// translation depends on the sentences before it and never on timing.
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
  // `lag`: the average lagging to hold, in source words. REQUIRES: lag is positive and
  // finite, can_steer(policy).
  LagController(double lag, std::string_view policy);

  // Returns true for gma (delta from 0 to 6), wait-k (k from 1 to 20) and alignatt (f from 1 to
  // 12).
  static bool can_steer(std::string_view policy) { return find(policy) != nullptr; }

  // The policy of the next sentence.
  const PolicyPtr& policy() const noexcept { return policy_; }

  // "auto:lag=3".
  std::string spec() const;

  // Adjusts the policy after a sentence with this average lagging, in source words. Returns true if
  // policy() has changed.
  bool update(double average_lagging);

 private:
  struct Steered;

  static const Steered* find(std::string_view policy);

  double lag_;
  const Steered* steered_;
  double value_;                  // of delta, k or f
  std::optional<double> recent_;  // average lagging, the last sentences weighing most
  PolicyPtr policy_;
};

// A policy, or a lag to hold.
struct PolicyRequest {
  PolicyPtr policy;           // nullptr if `lag` is given
  std::optional<double> lag;  // source words
};

// Parses "auto[:lag=NUMBER]" or a spec of make_policy(). Throws std::invalid_argument as
// make_policy() does.
PolicyRequest parse_policy_request(std::string_view spec);

// The help of the policy "auto", which policy_help() lacks.
const PolicyHelp& lag_policy_help();
// Returns the usages of all policies of streams: policy_examples() and "auto".
std::string stream_policy_examples();

}  // namespace surtitle
