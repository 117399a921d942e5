// All policies by name.
//
// README.md of this folder has the steps to add a policy.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "policies/policy.h"

namespace surtitle {

// Makes a policy from "NAME" or "NAME:KEY=VALUE[,KEY=VALUE]", such as "wait-k:k=3". Throws
// std::invalid_argument with one sentence that names what is wrong and what is allowed.
PolicyPtr make_policy(std::string_view spec);

// Returns all names in the order of help texts.
std::vector<std::string> policy_names();
// Returns the error for a name that is none of `names`. It has the closest name, or all of them.
std::invalid_argument unknown_policy(std::string_view name, const std::vector<std::string>& names);

struct ParameterBound {
  double value = 0;
  bool allowed = true;  // false: the bound itself is not allowed
};

// One KEY=VALUE of a spec.
struct PolicyParameter {
  std::string name;    // "delta"
  bool whole = false;  // true: only whole numbers
  ParameterBound low;
  std::optional<ParameterBound> high;
  double fallback = 0;    // if it is not given
  double usual_high = 0;  // for controls; larger values are allowed but seldom useful
  double step = 1;        // for controls
};

// One policy, for help texts and for programs that offer a choice.
struct PolicyHelp {
  std::string name;     // "gma"
  std::string usage;    // "gma:delta=1.5"
  std::string meaning;  // one line
  std::vector<PolicyParameter> parameters;
  std::vector<std::string> training_family;  // names of the policies of suitable models' training
};

// Returns "gma[:delta=NUMBER (at least 0, default 1)]".
std::string policy_syntax(const PolicyHelp& help);
// All policies in the order of help texts.
const std::vector<PolicyHelp>& policy_help();
// Returns all usages: "gma:delta=1.5, wait-k:k=3, ...".
std::string policy_examples();

}  // namespace surtitle
