#include "daemon/stream_plan.h"

#include <algorithm>
#include <stdexcept>

#include "daemon/text.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

using protocol::Error;
using protocol::ErrorCode;

bool knows(const ModelInfo& model, const protocol::Start& start) {
  return model.source_language == start.source && model.target_language == start.target;
}

bool trained_for(const ModelInfo& model, const std::string& policy) {
  return std::find(model.trained_policies.begin(), model.trained_policies.end(), policy) !=
         model.trained_policies.end();
}

std::string join(const std::vector<std::string>& texts, std::string_view between) {
  std::string joined;
  for (const std::string& text : texts) {
    joined += (joined.empty() ? "" : std::string(between)) + text;
  }
  return joined;
}

std::string names_of(std::span<const ModelInfo> models) {
  std::vector<std::string> names;
  for (const ModelInfo& model : models) {
    names.push_back(model.name);
  }
  return join(names, ", ");
}

std::string languages_of(std::span<const ModelInfo> models) {
  std::vector<std::string> pairs;
  for (const ModelInfo& model : models) {
    const std::string pair = model.source_language + " to " + model.target_language;
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) {
      pairs.push_back(pair);
    }
  }
  return join(pairs, ", ");
}

Error unsupported(const protocol::Start& start, std::span<const ModelInfo> models,
                  const std::string& who) {
  return {ErrorCode::kUnsupportedLanguages, who + " from " + in_quotes(start.source) + " to " +
                                                in_quotes(start.target) +
                                                "; there are: " + languages_of(models)};
}

std::variant<std::size_t, Error> named_model(const protocol::Start& start,
                                             std::span<const ModelInfo> models) {
  const auto model = std::find_if(models.begin(), models.end(), [&](const ModelInfo& candidate) {
    return candidate.name == *start.model;
  });
  if (model == models.end()) {
    return Error{ErrorCode::kUnknownModel, "model " + in_quotes(*start.model) +
                                               " is unknown; there are: " + names_of(models)};
  }
  if (!knows(*model, start)) {
    return unsupported(start, {&*model, 1}, "model " + model->name + " does not translate");
  }
  return static_cast<std::size_t>(model - models.begin());
}

std::variant<std::size_t, Error> best_model(const protocol::Start& start,
                                            std::span<const ModelInfo> models,
                                            const PlanDefaults& defaults, const PolicyPtr& policy) {
  std::optional<std::size_t> best;
  int best_rank = -1;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!knows(models[i], start)) {
      continue;
    }
    const int rank = (policy && trained_for(models[i], policy->trained_as()) ? 2 : 0) +
                     (models[i].name == defaults.model ? 1 : 0);
    if (rank > best_rank) {
      best = i;
      best_rank = rank;
    }
  }
  if (!best) {
    return unsupported(start, models, "no model translates");
  }
  return *best;
}

}  // namespace

std::variant<StreamPlan, Error> plan_stream(const protocol::Start& start,
                                            std::span<const ModelInfo> models,
                                            const PlanDefaults& defaults) {
  StreamPlan plan;
  const std::optional<std::string>& asked = start.policy ? start.policy : defaults.policy;
  try {
    if (asked) {
      plan.policy = make_policy(*asked);
    }
  } catch (const std::invalid_argument& error) {
    return Error{ErrorCode::kBadPolicy, error.what()};
  }
  const std::variant<std::size_t, Error> model =
      start.model ? named_model(start, models) : best_model(start, models, defaults, plan.policy);
  if (const auto* error = std::get_if<Error>(&model)) {
    return *error;
  }
  plan.model = std::get<std::size_t>(model);
  const ModelInfo& chosen = models[plan.model];
  if (!plan.policy) {
    plan.policy = make_policy(chosen.default_policy);
  }
  if (!trained_for(chosen, plan.policy->trained_as())) {
    plan.warnings.push_back("policy " + plan.policy->name() + ": model " + chosen.name +
                            " was trained for " + join(chosen.trained_policies, ", "));
  }
  return plan;
}

}  // namespace surtitle
