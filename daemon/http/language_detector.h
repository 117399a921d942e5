// Detects the language of a text, among those that the daemon translates from.
//
// It combines ICU's letter statistics of the languages of Europe with the letters that a language's
// alphabet has (CLDR). The result for a few words is a guess; its confidence says so.
//
// Thread-safety: may be called from any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

struct DetectedLanguage {
  std::string language;
  double confidence = 0;  // from 0 to 100
};

// Returns all of `languages`, the most likely one first.
std::vector<DetectedLanguage> detect_language(std::string_view text,
                                              const std::set<std::string>& languages);

// Returns the English name of a language: "German" for "de".
std::string language_name(const std::string& language);

}  // namespace surtitle
