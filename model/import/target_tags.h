// Languages as publishers of models name them, and the pieces that name the target of a source.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/import/vocabulary.h"
#include "model/package/package.h"

namespace surtitle {

// Returns the BCP 47 tag of a language: "de" for "deu", "zh-Hans" for "cmn_Hans". Returns nullopt
// if `text` names none.
std::optional<std::string> published_language(std::string_view text);

// The target languages of a vocabulary with pieces such as ">>deu<<", in its order.
struct TargetTags {
  std::vector<SourcePrefix> prefixes;
  int others = 0;  // tags of no language, or of one that an earlier tag has
};
TargetTags find_target_tags(const ImportedVocabulary& vocabulary);

// Moves the prefix of a language to the front, and returns true if there is one. Of several, the
// one that matches best is used: zh-Hans serves zh.
bool choose_target(std::vector<SourcePrefix>& prefixes, const std::string& language);

}  // namespace surtitle
