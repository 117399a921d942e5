// Which model and policy a `start` gets.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "daemon/protocol.h"
#include "model/translator.h"
#include "policies/policy.h"

namespace surtitle {

struct StreamPlan {
  std::size_t model = 0;  // its place in the list
  PolicyPtr policy;
  std::vector<std::string> warnings;
};

struct PlanDefaults {
  std::optional<std::string> model;   // where `start` names none; else the first of the list
  std::optional<std::string> policy;  // likewise; else the model's own
};

// A named model must know the languages. Without a name, the default model is taken where it knows
// them and was trained for the policy asked for, else the first such model, else the first that
// knows the languages. A policy that the model was not trained for is a warning, once.
std::variant<StreamPlan, protocol::Error> plan_stream(const protocol::Start& start,
                                                      std::span<const ModelInfo> models,
                                                      const PlanDefaults& defaults);

}  // namespace surtitle
