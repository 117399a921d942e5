#include "daemon/alignatt/alignatt_plan.h"

#include <algorithm>
#include <array>
#include <vector>

#include "daemon/base/text.h"
#include "policies/lag_controller.h"

namespace surtitle::alignatt {
namespace {

// The policies of a latency, by the name of the model's default policy. Balanced is the default.
struct Latency {
  std::string_view name;
  std::string_view wait_k;
  std::string_view gma;
  std::string_view alignatt;

  // Returns "" if the latency does not change the policy.
  std::string_view for_policy(std::string_view policy) const {
    if (policy == "wait-k") return wait_k;
    if (policy == "gma") return gma;
    return policy == "alignatt" ? alignatt : "";
  }
};
constexpr std::array<Latency, 3> kLatencies{{
    {"quality", "wait-k:k=9", "gma:delta=3", "alignatt:f=4"},
    {"balanced", "", "", ""},
    {"low", "wait-k:k=3", "gma:delta=0.5", "alignatt:f=1"},
}};

const Latency* latency_by_name(std::string_view name) {
  const auto found = std::find_if(kLatencies.begin(), kLatencies.end(),
                                  [&](const Latency& latency) { return latency.name == name; });
  return found == kLatencies.end() ? nullptr : &*found;
}

const Latency* latency_of(const Init& init) {
  if (init.preset) {
    return latency_by_name(*init.preset);
  }
  return init.hold_back ? latency_by_name(*init.hold_back < 1 ? "low" : "quality") : nullptr;
}

std::string direction_of(const ModelInfo& model, const std::string& target) {
  return model.source_language + "-" + target;
}

std::vector<std::string> directions(std::span<const ModelInfo> models) {
  std::vector<std::string> directions;
  for (const ModelInfo& model : models) {
    for (const std::string& target : model.target_languages()) {
      const std::string direction = direction_of(model, target);
      if (std::find(directions.begin(), directions.end(), direction) == directions.end()) {
        directions.push_back(direction);
      }
    }
  }
  return directions;
}

// Returns the source language of the first model of this target, unless others differ.
std::optional<std::string> only_source(const std::string& target,
                                       std::span<const ModelInfo> models) {
  std::optional<std::string> source;
  for (const ModelInfo& model : models) {
    if (!model.translates_into(target)) {
      continue;
    }
    if (source && *source != model.source_language) {
      return std::nullopt;
    }
    source = model.source_language;
  }
  return source;
}

std::string allowed_presets() {
  return "quality, balanced, low, or a policy: " + stream_policy_examples();
}

Error to_error(const protocol::Error& error, std::span<const ModelInfo> models) {
  if (error.code == protocol::ErrorCode::kUnsupportedLanguages) {
    return {"unsupported_direction", error.message, directions(models)};
  }
  return error_of(error);
}

}  // namespace

std::variant<Plan, Error> plan(const Init& init, const UrlQuery& query,
                               std::span<const ModelInfo> models, const PlanDefaults& defaults) {
  protocol::Start start;
  start.source = init.source_lang;
  start.target = init.target_lang;
  start.model = query.model;
  start.policy = query.policy;
  if (!init.accepted_target_prefix.empty()) {
    start.target_prefix = init.accepted_target_prefix;
  }
  start.glossary = protocol::find_terms(init.context_text);
  if (start.source == "auto") {
    start.source = only_source(start.target, models).value_or(start.source);
  }
  const Latency* latency = latency_of(init);
  if (init.preset) {
    start.policy = latency == nullptr ? init.preset : std::nullopt;
  }
  auto planned = plan_stream(start, models, defaults);
  if (const auto* error = std::get_if<protocol::Error>(&planned)) {
    if (error->code == protocol::ErrorCode::kBadPolicy && init.preset) {
      return Error{"unknown_preset", "preset " + in_quotes(*init.preset) +
                                         " is unknown; allowed: " + allowed_presets()};
    }
    return to_error(*error, models);
  }
  const TrackPlan& track = std::get<StreamPlan>(planned).tracks.front();
  start.model = models[track.model].name;
  if (latency != nullptr && !start.policy && track.policy) {
    start.policy = latency->for_policy(track.policy->name());
  }
  if (!start.policy || start.policy->empty()) {
    start.policy = track.policy_spec();
  }
  const ModelInfo& model = models[track.model];
  return Plan{std::move(start), direction_of(model, model.target_language_at(track.model_target))};
}

Error error_of(const protocol::Error& error) {
  std::string code(protocol::name(error.code));
  std::replace(code.begin(), code.end(), '-', '_');
  return {std::move(code), error.message};
}

}  // namespace surtitle::alignatt
