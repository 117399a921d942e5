// Words that decide about sentence ends and that ICU's data lack. See sentence_language.h.
//
// Thread-safety: may be called from any thread.
#pragma once

#include <string_view>

namespace surtitle {

// Words, separated by spaces. Abbreviations are without their last stop, in the case that they have
// inside a sentence.
struct SentenceTables {
  std::string_view ordinary;  // like abbreviations, or in CLDR's list, but rather words or units
  std::string_view continues;
  std::string_view ends_at_opener;
  std::string_view ends_at_text;
  std::string_view ends_at_capital;
  std::string_view openers;          // in lower case
  std::string_view before_ordinals;  // in lower case
  std::string_view before_times;     // in lower case
  std::string_view always_capital;
  bool has_capital_nouns = false;
};

// Returns the tables of a language, such as "de"; empty ones if it has none.
const SentenceTables& sentence_tables(std::string_view language);

}  // namespace surtitle
