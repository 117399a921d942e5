// The policies by name.
//
// To add a policy: write policies/NAME.h and .cpp with a class derived from Policy, add one row to
// the table in registry.cpp, one row to tests/policies/registry_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/policy.h"

namespace surtitle {

// Makes a policy from "NAME" or "NAME:KEY=VALUE[,KEY=VALUE]", such as "wait-k:k=3".
// Throws std::invalid_argument with one sentence that names what is wrong and lists what is
// allowed.
PolicyPtr make_policy(std::string_view spec);

struct ParameterBound {
  double value = 0;
  bool allowed = true;  // the value itself; else what lies beyond it
};

// One KEY=VALUE of a spec.
struct PolicyParameter {
  std::string name;    // "delta"
  bool whole = false;  // whole numbers alone
  ParameterBound low;
  std::optional<ParameterBound> high;
  double fallback = 0;    // where it is not given
  double usual_high = 0;  // for controls: what lies beyond is allowed, and seldom of use
  double step = 1;        // for controls
};

// One policy, for help texts and for programs that offer a choice.
struct PolicyHelp {
  std::string name;     // "gma"
  std::string usage;    // "gma:delta=1.5"
  std::string meaning;  // one line
  std::vector<PolicyParameter> parameters;
  std::vector<std::string> training_family;  // a model for it was trained for one of these
};

// "gma[:delta=NUMBER (at least 0, default 1)]"
std::string policy_syntax(const PolicyHelp& help);
const std::vector<PolicyHelp>& policy_help();
// All usages: "gma:delta=1.5, wait-k:k=3, ...".
std::string policy_examples();

}  // namespace surtitle
