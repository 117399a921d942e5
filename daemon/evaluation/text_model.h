// Opens a model package for text under one policy, for the offline commands.
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

// Opens the package. `policy`: a spec; empty: the package's default. Throws std::runtime_error or
// std::invalid_argument with one line if the package is invalid or has no tokenizer, if the policy
// is unknown, or if `policy` is empty and the package has no default.
TextModel open_text_model(const std::filesystem::path& package, const std::string& policy);

// Opens the package for teacher forcing, as open_text_model() does. A default policy that writes
// drafts is replaced by full-sentence. Throws std::invalid_argument if `policy` writes drafts.
TextModel open_forced_model(const std::filesystem::path& package, const std::string& policy);

// Returns the tokens of `text`. Throws std::runtime_error, "`name` has ...", if there are more
// tokens than a translator allows in a sentence. REQUIRES: valid UTF-8.
TokenizedText tokenize_sentence(const Tokenizer& tokenizer, const std::string& text,
                                const std::string& name);

}  // namespace surtitle
