#include "model/import/target_tags.h"

#include <unicode/locid.h>

#include <algorithm>

#include "model/text/language_tag.h"

namespace surtitle {
namespace {

constexpr std::string_view kOpen = ">>";
constexpr std::string_view kClose = "<<";

}  // namespace

std::optional<std::string> published_language(std::string_view text) {
  const auto tag = canonical_language(text);
  if (!tag) return std::nullopt;
  UErrorCode failure = U_ZERO_ERROR;
  const auto language =
      icu::Locale::createCanonical(tag->c_str()).toLanguageTag<std::string>(failure);
  if (U_FAILURE(failure) || language == "und") return std::nullopt;
  return canonical_language(language);
}

TargetTags find_target_tags(const ImportedVocabulary& vocabulary) {
  TargetTags tags;
  for (const std::string& piece : vocabulary.pieces) {
    if (piece.size() <= kOpen.size() + kClose.size() || !piece.starts_with(kOpen) ||
        !piece.ends_with(kClose))
      continue;
    const auto language = published_language(
        std::string_view(piece).substr(kOpen.size(), piece.size() - kOpen.size() - kClose.size()));
    const bool usable =
        language && std::none_of(tags.prefixes.begin(), tags.prefixes.end(),
                                 [&](const auto& one) { return one.target_language == *language; });
    if (usable) {
      tags.prefixes.push_back({*language, {piece}});
    } else {
      ++tags.others;
    }
  }
  return tags;
}

bool choose_target(std::vector<SourcePrefix>& prefixes, const std::string& language) {
  const auto best =
      std::max_element(prefixes.begin(), prefixes.end(), [&](const auto& one, const auto& other) {
        return match_languages(one.target_language, language) <
               match_languages(other.target_language, language);
      });
  if (best == prefixes.end() ||
      match_languages(best->target_language, language) == LanguageMatch::kNone)
    return false;
  std::rotate(prefixes.begin(), best, best + 1);
  return true;
}

}  // namespace surtitle
