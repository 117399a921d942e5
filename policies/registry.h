// The policies by name.
//
// To add a policy: write policies/NAME.h and .cpp with a class derived from Policy, add one row to
// the table in registry.cpp, one row to tests/policies/registry_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/policy.h"

namespace surtitle {

// Makes a policy from "NAME" or "NAME:KEY=VALUE[,KEY=VALUE]", such as "wait-k:k=3".
// Throws std::invalid_argument with one sentence that names what is wrong and lists what is
// allowed.
PolicyPtr make_policy(std::string_view spec);

// One registered policy, for help texts.
struct PolicyHelp {
  std::string name;     // "gma"
  std::string usage;    // "gma:delta=1.5"
  std::string meaning;  // one line
};
const std::vector<PolicyHelp>& policy_help();

}  // namespace surtitle
