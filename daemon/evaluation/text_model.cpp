#include "daemon/evaluation/text_model.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "daemon/base/text.h"
#include "model/analysis/teacher_forcing.h"
#include "model/engine/translator.h"
#include "policies/registry.h"

namespace surtitle {

namespace {

void use_policy(TextModel& model, const std::string& spec) {
  model.policy = make_policy(spec);
  const std::vector<std::string>& trained = model.package.description.policies;
  model.trained_for_policy =
      std::find(trained.begin(), trained.end(), model.policy->training_family()) != trained.end();
}

}  // namespace

TextModel open_text_model(const std::filesystem::path& package, const std::string& policy) {
  TextModel model{.package = open_package(package), .policy = nullptr};
  const PackageDescription& description = model.package.description;
  if (!model.package.tokenizers.source) {
    throw std::runtime_error(package.string() +
                             ": the model has no tokenizer, so it cannot translate text");
  }
  if (policy.empty() && description.default_policy.empty()) {
    throw std::runtime_error(package.string() +
                             ": the model has no default policy; a policy must be given");
  }
  use_policy(model, policy.empty() ? description.default_policy : policy);
  return model;
}

TextModel open_forced_model(const std::filesystem::path& package, const std::string& policy) {
  TextModel model = open_text_model(package, policy);
  if (policy.empty() && model.policy->drafting()) use_policy(model, "full-sentence");
  require_forcible(*model.policy);
  return model;
}

TokenizedText tokenize_sentence(const Tokenizer& tokenizer, const std::string& text,
                                const std::string& name) {
  TokenizedText tokenized = tokenize(tokenizer, text);
  const auto most = static_cast<std::size_t>(TranslatorOptions().max_source_tokens);
  if (tokenized.tokens.size() > most) {
    throw std::runtime_error(name + " has " + counted(tokenized.tokens.size(), "token") +
                             "; allowed: " + std::to_string(most));
  }
  return tokenized;
}

}  // namespace surtitle
