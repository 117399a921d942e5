#include "daemon/translation/stream_plan.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "daemon/base/text.h"
#include "model/text/language_tag.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

using protocol::Error;
using protocol::ErrorCode;

// The request for one track.
struct Wish {
  std::string source;
  std::string target;
  std::optional<std::string> model;
  std::optional<std::string> policy;
};

// A target language of a model, and how well the languages suit; 0 if it does not translate them.
struct Suitability {
  int target = 0;  // index in ModelInfo::target_languages()
  int languages = 0;
};

Suitability suitability(const ModelInfo& model, const Wish& traits) {
  const auto source = static_cast<int>(match_languages(model.source_language, traits.source));
  Suitability best;
  int target = 0;
  for (const std::string& language : model.target_languages()) {
    const auto match = static_cast<int>(match_languages(language, traits.target));
    if (source > 0 && match > 0 && source + match > best.languages) {
      best = {target, source + match};
    }
    ++target;
  }
  return best;
}

bool trained_for(const ModelInfo& model, const std::string& policy) {
  return std::find(model.policies.begin(), model.policies.end(), policy) != model.policies.end();
}

// Returns the model's first policy that LagController can steer.
std::optional<std::string> steered_policy(const ModelInfo& model) {
  const auto found =
      std::find_if(model.policies.begin(), model.policies.end(),
                   [](const std::string& name) { return LagController::can_steer(name); });
  return found == model.policies.end() ? std::nullopt : std::optional(*found);
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
    for (const std::string& target : model.target_languages()) {
      const std::string pair = model.source_language + " to " + target;
      if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) {
        pairs.push_back(pair);
      }
    }
  }
  return join(pairs, ", ");
}

Error unsupported(const Wish& traits, std::span<const ModelInfo> models,
                  const std::string& subject) {
  return {ErrorCode::kUnsupportedLanguages, subject + " from " + in_quotes(traits.source) + " to " +
                                                in_quotes(traits.target) +
                                                "; allowed: " + languages_of(models)};
}

std::variant<std::size_t, Error> named_model(const Wish& traits,
                                             std::span<const ModelInfo> models) {
  const auto model = std::find_if(models.begin(), models.end(), [&](const ModelInfo& candidate) {
    return candidate.name == *traits.model;
  });
  if (model == models.end()) {
    return Error{ErrorCode::kUnknownModel,
                 "model " + in_quotes(*traits.model) + " is unknown; allowed: " + names_of(models)};
  }
  if (suitability(*model, traits).languages == 0) {
    return unsupported(traits, {&*model, 1}, "model " + model->name + " does not translate");
  }
  return static_cast<std::size_t>(model - models.begin());
}

std::variant<std::size_t, Error> best_model(const Wish& traits, std::span<const ModelInfo> models,
                                            const PlanDefaults& defaults,
                                            const PolicyRequest& policy) {
  std::optional<std::size_t> best;
  int best_rank = -1;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const int languages = suitability(models[i], traits).languages;
    if (languages == 0) {
      continue;
    }
    const bool suits = policy.policy ? trained_for(models[i], policy.policy->training_family())
                                     : policy.lag && steered_policy(models[i]).has_value();
    const int rank = 4 * languages + (suits ? 2 : 0) + (models[i].name == defaults.model ? 1 : 0);
    if (rank > best_rank) {
      best = i;
      best_rank = rank;
    }
  }
  if (!best) {
    return unsupported(traits, models, "no model translates");
  }
  return *best;
}

std::variant<TrackPlan, Error> plan_track(const Wish& traits, std::span<const ModelInfo> models,
                                          const PlanDefaults& defaults) {
  TrackPlan plan;
  plan.target = canonical_language(traits.target).value_or(traits.target);
  const std::optional<std::string>& asked = traits.policy ? traits.policy : defaults.policy;
  PolicyRequest request;
  try {
    if (asked) {
      request = parse_policy_request(*asked);
    }
  } catch (const std::invalid_argument& error) {
    return Error{ErrorCode::kBadPolicy, error.what()};
  }
  const std::variant<std::size_t, Error> model =
      traits.model ? named_model(traits, models) : best_model(traits, models, defaults, request);
  if (const auto* error = std::get_if<Error>(&model)) {
    return *error;
  }
  plan.model = std::get<std::size_t>(model);
  const ModelInfo& chosen = models[plan.model];
  plan.model_target = suitability(chosen, traits).target;
  const auto own = defaults.policies.find(chosen.name);
  if (!traits.policy && own != defaults.policies.end()) {
    request = parse_policy_request(own->second);
  }
  const std::optional<std::string> steered = steered_policy(chosen);
  const bool by_default = !traits.policy && !steered;
  if (!request.lag || by_default) {
    plan.policy = request.policy ? request.policy : make_policy(chosen.default_policy);
    return plan;
  }
  if (!steered) {
    return Error{
        ErrorCode::kBadPolicy,
        "policy 'auto' requires a model that was trained for gma, wait-k or alignatt; model " +
            chosen.name + " was trained for " + join(chosen.policies, ", ")};
  }
  plan.lag.emplace(*request.lag, *steered);
  return plan;
}

std::vector<std::string> warnings_of(const TrackPlan& plan, const ModelInfo& model,
                                     const SourceTraits& traits) {
  std::vector<std::string> warnings;
  if (plan.policy && !trained_for(model, plan.policy->training_family())) {
    warnings.push_back("policy " + plan.policy->name() + ": model " + model.name +
                       " was trained for " + join(model.policies, ", "));
  }
  if (const auto unsupported =
          plan.policy ? unsupported_policy(model, *plan.policy) : std::nullopt) {
    warnings.push_back(*unsupported);
  }
  if (std::find(model.source_forms.begin(), model.source_forms.end(), traits.source_form) ==
      model.source_forms.end()) {
    warnings.push_back("source form " + std::string(name(traits.source_form)) + ": model " +
                       model.name + " was not trained on such text");
  }
  if (traits.attention && !model.supports_attention) {
    warnings.push_back("attention: model " + model.name +
                       " runs on a device that does not provide it");
  }
  return warnings;
}

Wish wish_of(const protocol::Start& start, const protocol::TrackRequest& track) {
  return {start.source, track.target.value_or(start.target), track.model, track.policy};
}

}  // namespace

protocol::Glossary glossary_of_track(const std::optional<protocol::Glossary>& own,
                                     const std::string& target, const protocol::Start& start) {
  if (own) {
    return *own;
  }
  if (match_languages(start.target, target) != LanguageMatch::kNone) {
    return start.glossary;
  }
  protocol::Glossary glossary;
  std::copy_if(start.glossary.begin(), start.glossary.end(), std::back_inserter(glossary),
               [](const protocol::GlossaryEntry& entry) {
                 return entry.is_mask() || entry.source == entry.target;
               });
  return glossary;
}

std::vector<std::string> glossary_warnings(const protocol::Glossary& glossary,
                                           const ModelInfo& model) {
  std::vector<std::string> warnings;
  if (!glossary.empty() && model.placeholders.empty()) {
    warnings.push_back("glossary: model " + model.name +
                       " has no placeholders; a term is only replaced if the model copies it");
  }
  for (auto entry = glossary.begin(); entry != glossary.end(); ++entry) {
    if (std::any_of(entry + 1, glossary.end(), [&](const protocol::GlossaryEntry& later) {
          return later.source == entry->source && later.target != entry->target;
        })) {
      warnings.push_back("glossary: " + in_quotes(entry->source) +
                         " has several translations; the last one is used");
    }
  }
  return warnings;
}

std::vector<std::size_t> StreamPlan::models() const {
  std::vector<std::size_t> models;
  models.reserve(tracks.size());
  for (const TrackPlan& track : tracks) {
    models.push_back(track.model);
  }
  return models;
}

std::variant<StreamPlan, Error> plan_stream(const protocol::Start& start,
                                            std::span<const ModelInfo> models,
                                            const PlanDefaults& defaults) {
  std::vector<protocol::TrackRequest> requests{{"", {}, start.model, start.policy}};
  requests.insert(requests.end(), start.tracks.begin(), start.tracks.end());
  StreamPlan plan;
  for (const protocol::TrackRequest& request : requests) {
    std::variant<TrackPlan, Error> track = plan_track(wish_of(start, request), models, defaults);
    const std::string where = request.name.empty() ? "" : "track " + request.name + ": ";
    if (const auto* error = std::get_if<Error>(&track)) {
      return Error{error->code, where + error->message};
    }
    auto& planned = std::get<TrackPlan>(track);
    planned.name = request.name;
    for (const std::string& warning :
         warnings_of(planned, models[planned.model], {start.source_form, start.attention})) {
      plan.warnings.push_back(where + warning);
    }
    const std::optional<protocol::Glossary> own =
        request.name.empty() ? std::optional(start.glossary) : request.glossary;
    for (const std::string& warning :
         glossary_warnings(glossary_of_track(own, planned.target, start), models[planned.model])) {
      plan.warnings.push_back(where + warning);
    }
    plan.tracks.push_back(std::move(planned));
  }
  return plan;
}

std::variant<ChangePlan, Error> plan_change(const protocol::Configure& configure,
                                            const TrackPlan& track, const SourceTraits& now,
                                            std::span<const ModelInfo> models) {
  const ModelInfo& before = models[track.model];
  const std::string model = configure.model.value_or(before.name);
  const std::string& target = before.target_language_at(track.model_target);
  std::optional<std::string> policy = configure.policy;
  if (!policy && model == before.name) {
    policy = track.policy_spec();
  }
  std::variant<TrackPlan, Error> plan =
      plan_track({before.source_language, target, model, policy}, models, {});
  if (const auto* error = std::get_if<Error>(&plan)) {
    return *error;
  }
  auto& changed = std::get<TrackPlan>(plan);
  changed.name = track.name;
  std::vector<std::string> warnings =
      warnings_of(changed, models[changed.model],
                  {configure.source_form.value_or(now.source_form), now.attention});
  if (configure.glossary) {
    const auto more = glossary_warnings(*configure.glossary, models[changed.model]);
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  return ChangePlan{std::move(changed), std::move(warnings)};
}

}  // namespace surtitle
