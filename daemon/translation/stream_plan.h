// Chooses the model and the policy of each track of a stream.
//
// Thread-safety: all functions may be called from any thread.
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
  std::string name = {};  // empty for the first track
  std::string target = {};
  std::size_t model = 0;  // index in the list of models
  int model_target = 0;   // index in the model's ModelInfo::target_languages()
  PolicyPtr policy;       // nullptr if `lag` is given
  std::optional<LagController> lag = std::nullopt;

  // The policy as in `start` and `ready`: "gma:delta=1", "auto:lag=3".
  std::string policy_spec() const { return lag ? lag->spec() : policy->spec(); }
};

struct StreamPlan {
  std::vector<TrackPlan> tracks;  // at least one
  std::vector<std::string> warnings;

  std::vector<std::size_t> models() const;  // by track
};

// Defaults for a `start` without these fields.
struct PlanDefaults {
  std::optional<std::string> model;
  std::optional<std::string> policy;                 // nullopt: the model's own default
  std::map<std::string, std::string> policies = {};  // by model; takes precedence over `policy`
};

// Plans a stream. A model that `start` names must support the languages. If `start` names none, the
// model whose languages suit best is chosen (model/text/language_tag.h). Of several, the first of
// these is chosen:
//
// 1. the default model, if it was trained for the requested policy
// 2. another model that was trained for the requested policy
// 3. the default model
// 4. another model
//
// A policy or a source form that the model was not trained for is a warning. So is a policy or
// attention that the model's device does not support. The policy auto changes the parameter of the
// model's first policy that LagController can steer.
std::variant<StreamPlan, protocol::Error> plan_stream(const protocol::Start& start,
                                                      std::span<const ModelInfo> models,
                                                      const PlanDefaults& defaults);

// Returns the glossary of a track. A track without its own has that of `start` if it has the same
// target language, and otherwise its masks and the terms that are kept as they are.
protocol::Glossary glossary_of_track(const std::optional<protocol::Glossary>& own,
                                     const std::string& target, const protocol::Start& start);

// Returns warnings about entries that have no effect.
std::vector<std::string> glossary_warnings(const protocol::Glossary& glossary,
                                           const ModelInfo& model);

struct ChangePlan {
  TrackPlan track;
  std::vector<std::string> warnings;  // as in StreamPlan
};

// Properties of a stream that concern the models of all its tracks.
struct SourceTraits {
  TextForm source_form = TextForm::kWritten;
  bool attention = false;
};

// Plans the change of a track by `configure`. `now`: the stream's properties so far. The languages
// and the fields that `configure` does not name stay the same. If it names another model and no
// policy, the model's own default policy is used.
std::variant<ChangePlan, protocol::Error> plan_change(const protocol::Configure& configure,
                                                      const TrackPlan& track,
                                                      const SourceTraits& now,
                                                      std::span<const ModelInfo> models);

}  // namespace surtitle
