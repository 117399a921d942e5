#include "model/recipe.h"

#include "model/policy_sampler.h"
#include "model/yaml_map.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

std::vector<ParallelText> read_texts(YamlMap& map, const std::string& field,
                                     const std::filesystem::path& folder, const std::string& file) {
  std::vector<ParallelText> texts;
  for (const auto& item : map.node(field)) {
    YamlMap entry(item, file);
    ParallelText text;
    text.source = folder / entry.get<std::string>("source");
    text.target = folder / entry.get<std::string>("target");
    entry.get_if_there("repeat", text.repeat, 1, 100);
    entry.reject_unknown();
    texts.push_back(text);
  }
  if (texts.empty()) map.fail(map.node(field), "'" + field + "' lists no text");
  return texts;
}

TrainingOptions read_training(const YAML::Node& node, const std::string& file) {
  YamlMap map(node, file);
  TrainingOptions options;
  options.policies = map.get<std::vector<std::string>>("policies");
  map.get_if_there("batch_tokens", options.batch_tokens, 100, 1'000'000);
  map.get_if_there("max_tokens", options.max_tokens, 4, 1000);
  map.get_if_there("learning_rate", options.learning_rate, 0.0, 1.0);
  map.get_if_there("warmup_updates", options.warmup_updates, 1, 1'000'000);
  map.get_if_there("cooldown_updates", options.cooldown_updates, 0, 10'000'000);
  map.get_if_there("max_updates", options.max_updates, 1, 100'000'000);
  map.get_if_there("label_smoothing", options.label_smoothing, 0.0, 0.9);
  map.get_if_there("dropout", options.dropout, 0.0, 0.9);
  map.get_if_there("attention_dropout", options.attention_dropout, 0.0, 0.9);
  map.get_if_there("clip_norm", options.clip_norm, 0.0, 1e6);
  map.get_if_there("adam_beta2", options.adam_beta2, 0.5, 0.99999);
  map.get_if_there("checkpoint_minutes", options.checkpoint_minutes, 1, 1000);
  map.get_if_there("average", options.average, 1, 100);
  map.get_if_there("dev_sentences", options.dev_sentences, 0, 1'000'000);
  map.get_if_there("patience", options.patience, 1, 10'000);
  map.get_if_there("seed", options.seed);
  map.reject_unknown();
  try {
    PolicySampler{options.policies};
  } catch (const std::invalid_argument& error) {
    map.fail(map.node("policies"), error.what());
  }
  return options;
}

}  // namespace

Recipe load_recipe(const std::filesystem::path& file, const std::filesystem::path& data) {
  const auto name = file.string();
  YamlMap map(load_yaml(file), name);
  const auto folder = data.empty() ? file.parent_path() : data;
  Recipe recipe;
  recipe.name = map.get<std::string>("name");
  recipe.source_language = map.get<std::string>("source_language");
  recipe.target_language = map.get<std::string>("target_language");
  recipe.train = read_texts(map, "train", folder, name);
  recipe.dev = read_texts(map, "dev", folder, name);
  recipe.architecture = parse_model_config(map.node("architecture"), name);
  recipe.training = read_training(map.node("training"), name);
  recipe.default_policy = map.get<std::string>("default_policy");
  map.get_if_there("training_data", recipe.training_data);
  map.get_if_there("licence", recipe.licence);
  map.reject_unknown();
  try {
    make_policy(recipe.default_policy);
  } catch (const std::invalid_argument& error) {
    map.fail(map.node("default_policy"), error.what());
  }
  if (recipe.architecture.source_vocabulary != recipe.architecture.target_vocabulary)
    map.fail(map.node("architecture"),
             "source_vocabulary and target_vocabulary must be equal: the "
             "vocabulary is learnt from both languages together");
  return recipe;
}

}  // namespace surtitle
