// Language tags as BCP 47 defines them: "de", "pt-BR", "zh-Hant-TW".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

// Returns the tag in its usual spelling ("de-AT" for "DE_at"), or nullopt if `text` is no tag.
// Thread-safety: may be called from any thread.
std::optional<std::string> canonical_language(std::string_view text);

// How well a language serves a request for another one.
enum class LanguageMatch {
  kNone,
  kLanguage,  // another region: de-CH for de-AT
  kPrefix,    // one is more general: de for de-AT, pt-BR for pt
  kSame,
};

// Compares two tags in any spelling. Different scripts of a language, such as zh-Hans and zh-Hant,
// do not match. Thread-safety: may be called from any thread.
LanguageMatch match_languages(std::string_view offered, std::string_view requested);

}  // namespace surtitle
