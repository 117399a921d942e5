// Which model and policy a `start` gets.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "model/engine/translator.h"
#include "policies/lag_controller.h"
#include "policies/policy.h"

namespace surtitle {

// One track of a stream.
struct TrackPlan {
  std::string name = {};  // empty for the first
  std::string target = {};
  std::size_t model = 0;  // its place in the list
  PolicyPtr policy;       // nullptr where `lag` is given
  std::optional<LagController> lag = std::nullopt;

  // As start gives it, and as it is shown: "gma:delta=1", "auto:lag=3".
  std::string policy_spec() const { return lag ? lag->spec() : policy->spec(); }
};

struct StreamPlan {
  std::vector<TrackPlan> tracks;  // at least one
  std::vector<std::string> warnings;

  std::vector<std::size_t> models() const;  // of each track
};

struct PlanDefaults {
  std::optional<std::string> model;   // where `start` names none; else the first of the list
  std::optional<std::string> policy;  // likewise; else the model's own
  std::map<std::string, std::string> policies = {};  // by model; before both
};

// A named model must know the languages. Without a name, the default model is taken where it knows
// them and was trained for the policy asked for, else the first such model, else the first that
// knows the languages. A policy or a form of text that the model was not trained for is a warning,
// once, and so is attention that its device does not show. Policy auto takes the model's first
// policy that can be steered.
std::variant<StreamPlan, protocol::Error> plan_stream(const protocol::Start& start,
                                                      std::span<const ModelInfo> models,
                                                      const PlanDefaults& defaults);

struct ChangePlan {
  TrackPlan track;
  std::vector<std::string> warnings;  // as StreamPlan's
};

// What a stream asks of the models of all its tracks.
struct SourceTraits {
  TextForm source_form = TextForm::kWritten;
  bool attention = false;
};

// What `configure` makes of a track whose stream has these wishes so far: the languages stay, and
// so does what it does not name; another model without a policy has its own.
std::variant<ChangePlan, protocol::Error> plan_change(const protocol::Configure& configure,
                                                      const TrackPlan& track,
                                                      const SourceTraits& now,
                                                      std::span<const ModelInfo> models);

}  // namespace surtitle
