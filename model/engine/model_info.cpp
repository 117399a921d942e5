#include <algorithm>

#include "model/engine/translator.h"
#include "model/text/language_tag.h"

namespace surtitle {

std::vector<std::string> ModelInfo::target_languages() const {
  std::vector<std::string> all{target_language};
  all.insert(all.end(), other_targets.begin(), other_targets.end());
  return all;
}

bool ModelInfo::translates_into(std::string_view language) const {
  const auto all = target_languages();
  return std::any_of(all.begin(), all.end(), [&](const std::string& offered) {
    return match_languages(offered, language) != LanguageMatch::kNone;
  });
}

}  // namespace surtitle
