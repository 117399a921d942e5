#include "model/training/recipe.h"

#include <algorithm>
#include <array>

#include "model/package/package.h"
#include "model/text/language_tag.h"
#include "model/training/policy_sampler.h"
#include "model/util/yaml_map.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

std::string get_language(YamlMap& map, const std::string& field) {
  const auto text = map.get<std::string>(field);
  std::optional<std::string> language = canonical_language(text);
  if (!language)
    map.fail(map.node(field), "'" + field + "' is '" + text + "'; allowed: a tag such as de");
  return *std::move(language);
}

// Reads a list of equally frequent forms, or a map from form to share.
std::vector<FormShare> read_source_forms(YamlMap& map, const std::string& file) {
  std::vector<FormShare> shares;
  const auto node = map.node("source_forms");
  if (!node.IsMap()) {
    std::vector<TextForm> forms;
    map.get_names_if_there("source_forms", forms, text_form_by_name, std::string(kTextForms));
    for (const TextForm form : forms) shares.push_back({form, 1});
    return shares;
  }
  YamlMap entries(node, file);
  for (const TextForm form : {TextForm::kWritten, TextForm::kSpoken}) {
    FormShare one{form, 0};
    entries.get_if_there(name(form).data(), one.share, 0.0, 1e6);
    if (one.share > 0) shares.push_back(one);
  }
  entries.reject_unknown();
  if (shares.empty())
    map.fail(node, "'source_forms' must give a share above 0 to at least one form; allowed: " +
                       std::string(kTextForms));
  return shares;
}

std::vector<ParallelText> read_texts(YamlMap& map, const std::string& field,
                                     const std::filesystem::path& folder, const std::string& file) {
  std::vector<ParallelText> texts;
  if (!map.node(field).IsSequence())
    map.fail(map.node(field), "'" + field + "' must be a list of {source: FILE, target: FILE}");
  for (const auto& item : map.node(field)) {
    YamlMap entry(item, file);
    ParallelText text;
    text.source = folder / entry.get<std::string>("source");
    text.target = folder / entry.get<std::string>("target");
    entry.get_if_there("weight", text.weight, 0.0, 100.0);
    if (entry.has("source_forms")) text.source_forms = read_source_forms(entry, file);
    entry.get_if_there("joined", text.joined, 0.0, 1.0);
    entry.reject_unknown();
    texts.push_back(text);
  }
  if (texts.empty()) map.fail(map.node(field), "'" + field + "' must list at least one text");
  return texts;
}

LatencyWeights read_latency(const YAML::Node& node, const std::string& file) {
  YamlMap map(node, file);
  LatencyWeights weights;
  map.get_if_there("average", weights.average, 0.0, 1000.0);
  map.get_if_there("variance", weights.variance, 0.0, 1000.0);
  map.reject_unknown();
  return weights;
}

constexpr std::array<Named<Optimizer>, 2> kOptimizers{
    {{"adam", Optimizer::kAdam}, {"muon", Optimizer::kMuon}}};

constexpr std::array<Named<ProductType>, 3> kProductTypes{{{"measured", ProductType::kMeasured},
                                                           {"float32", ProductType::kFloat32},
                                                           {"bfloat16", ProductType::kBfloat16}}};

// Whether a decoder layer predicts the positions that the policy gma follows.
bool predicts_positions(const ModelConfig& config) {
  return config.has_cross_attention<GmaOptions>() ||
         config.has_cross_attention<GaussianMixtureOptions>() ||
         config.has_cross_attention<HardCodedOptions>() ||
         config.has_cross_attention<LocalnessOptions>();
}

// Throws std::invalid_argument if no decoder layer has what the policy follows.
void check_cross_attention(const Policy& policy, const ModelConfig& config) {
  const auto require = [&](bool held, const char* allowed) {
    if (held) return;
    throw std::invalid_argument("'" + policy.name() +
                                "' needs a decoder layer with another cross_attention than " +
                                to_yaml(config.cross_attention) + "; allowed: " + allowed);
  };
  if (policy.name() == "gma")
    require(predicts_positions(config), "gma, gaussian-mixture, hard-coded, localness");
  if (policy.name() == "mma") require(config.has_cross_attention<MmaOptions>(), "mma");
}

// Throws std::invalid_argument for policies with which a model cannot be trained.
void check_training_policies(std::span<const std::string> specs, const ModelConfig& config) {
  const PolicySampler sampler(specs);
  for (const auto& name : sampler.names()) {
    if (name == "mu")
      throw std::invalid_argument(
          "'mu' is not a policy of training: train a model, then run `surtitle segment` on it");
    const PolicyPtr policy = make_policy(name);
    if (policy->drafting())
      throw std::invalid_argument("'" + name +
                                  "' translates in drafts and is not a policy of training; train "
                                  "for it with " +
                                  policy->training_family());
    check_cross_attention(*policy, config);
  }
}

TrainingOptions read_training(const YAML::Node& node, const std::string& file,
                              const ModelConfig& architecture) {
  YamlMap map(node, file);
  TrainingOptions options;
  options.policies = map.get<std::vector<std::string>>("policies");
  map.get_if_there("batch_tokens", options.batch_tokens, 100, 1'000'000);
  map.get_if_there("batches_per_update", options.batches_per_update, 1, 1000);
  map.get_named_if_there("optimizer", options.optimizer, kOptimizers);
  map.get_named_if_there("products", options.products, kProductTypes);
  map.get_if_there("max_tokens", options.max_tokens, 4, 1000);
  map.get_if_there("learning_rate", options.learning_rate, 0.0, 1.0);
  map.get_if_there("warmup_updates", options.warmup_updates, 1, 1'000'000);
  map.get_if_there("cooldown_updates", options.cooldown_updates, 0, 10'000'000);
  map.get_if_there("max_updates", options.max_updates, 1, 100'000'000);
  map.get_if_there("label_smoothing", options.label_smoothing, 0.0, 0.9);
  map.get_if_there("dropout", options.dropout, 0.0, 0.9);
  map.get_if_there("attention_dropout", options.attention_dropout, 0.0, 0.9);
  if (map.has("latency")) options.latency = read_latency(map.node("latency"), file);
  map.get_if_there("sentence_start_weight", options.sentence_start_weight, 0.0, 1000.0);
  map.get_if_there("clip_norm", options.clip_norm, 0.0, 1e6);
  map.get_if_there("adam_beta2", options.adam_beta2, 0.5, 0.99999);
  map.get_if_there("checkpoint_minutes", options.checkpoint_minutes, 1, 1000);
  map.get_if_there("checkpoint_updates", options.checkpoint_updates, 0, 100'000'000);
  map.get_if_there("average", options.average, 1, 100);
  map.get_if_there("dev_sentences", options.dev_sentences, 0, 1'000'000);
  map.get_if_there("patience", options.patience, 1, 10'000);
  map.get_if_there("seed", options.seed);
  map.reject_unknown();
  if (options.cooldown_updates > options.max_updates)
    map.fail(map.node("cooldown_updates"), "'cooldown_updates' must be at most 'max_updates'");
  try {
    check_training_policies(options.policies, architecture);
  } catch (const std::invalid_argument& error) {
    map.fail(map.node("policies"), error.what());
  }
  return options;
}

}  // namespace

std::vector<std::string> policies_of(const Recipe& recipe) {
  std::vector<std::string> names = PolicySampler(recipe.training.policies).names();
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const PolicyPtr policy = make_policy(recipe.default_policy);
  if (has(policy->training_family()) && !has(policy->name()))
    names.insert(names.begin(), policy->name());
  return names;
}

std::vector<TextForm> source_forms(const Recipe& recipe) {
  std::vector<TextForm> forms;
  for (const TextForm form : {TextForm::kWritten, TextForm::kSpoken}) {
    const bool trained =
        std::any_of(recipe.train.begin(), recipe.train.end(), [&](const ParallelText& text) {
          return std::any_of(text.source_forms.begin(), text.source_forms.end(),
                             [&](const FormShare& one) { return one.form == form; });
        });
    if (trained) forms.push_back(form);
  }
  return forms;
}

Recipe load_recipe(const std::filesystem::path& file, const std::filesystem::path& data,
                   const std::optional<ModelConfig>& start) {
  const auto name = file.string();
  YamlMap map(load_yaml(file), name);
  const auto folder = data.empty() ? file.parent_path() : data;
  Recipe recipe;
  recipe.name = map.get<std::string>("name");
  recipe.source_language = get_language(map, "source_language");
  recipe.target_language = get_language(map, "target_language");
  recipe.train = read_texts(map, "train", folder, name);
  recipe.dev = read_texts(map, "dev", folder, name);
  ModelConfig defaults = start.value_or(ModelConfig());
  defaults.encoder_reach = EncoderReach::kCausal;
  defaults.meaning_units = false;  // `surtitle segment` adds the classifier after training
  recipe.architecture = start && !map.has("architecture")
                            ? defaults
                            : parse_model_config(map.node("architecture"), name, defaults);
  if (!recipe.architecture.is_trainable())
    map.fail(map.node("architecture"),
             "training needs 'encoder_reach: causal' and 'target_memory: attention'");
  if (recipe.architecture.meaning_units)
    map.fail(map.node("architecture"),
             "'meaning_units' needs a model's own translations: train without it, then run "
             "`surtitle segment`");
  recipe.training = read_training(map.node("training"), name, recipe.architecture);
  if (recipe.training.latency.any() && !recipe.architecture.has_cross_attention<MmaOptions>() &&
      !recipe.architecture.has_cross_attention<GmaOptions>())
    map.fail(map.node("training"),
             "'latency' needs a decoder layer that decides its own delay, with an mma or gma "
             "cross_attention; leave it out");
  recipe.default_policy = map.get<std::string>("default_policy");
  map.get_if_there("training_data", recipe.training_data);
  map.get_if_there("licence", recipe.licence);
  map.get_if_there("origin", recipe.origin);
  map.reject_unknown();
  try {
    check_cross_attention(*make_policy(recipe.default_policy), recipe.architecture);
  } catch (const std::invalid_argument& error) {
    map.fail(map.node("default_policy"), error.what());
  }
  if (!start && recipe.architecture.source_vocabulary != recipe.architecture.target_vocabulary)
    map.fail(map.node("architecture"),
             "source_vocabulary and target_vocabulary must be equal: the "
             "vocabulary is learnt from both languages together");
  return recipe;
}

}  // namespace surtitle
