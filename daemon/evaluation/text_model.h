// A model package opened for text and one policy: what every command begins with that puts text
// through a model.
#pragma once

#include <filesystem>
#include <string>

#include "model/package/package.h"
#include "model/text/tokenizer.h"
#include "policies/policy.h"

namespace surtitle {

struct TextModel {
  Package package;
  PolicyPtr policy;
  bool trained_for_policy = true;
};

// Under the package's own policy where `policy` is empty. Throws std::runtime_error or
// std::invalid_argument with one line: the package is none, has no tokenizer or no policy of its
// own, or the policy is unknown.
TextModel open_text_model(const std::filesystem::path& package, const std::string& policy);

// The tokens of `text`. Throws std::runtime_error, "`name` has ...", where there are more of them
// than a translator takes for a sentence. REQUIRES: valid UTF-8.
TokenizedText tokenize_sentence(const Tokenizer& tokenizer, const std::string& text,
                                const std::string& name);

}  // namespace surtitle
