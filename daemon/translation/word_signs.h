// The signs around a written word: quotes, brackets, stops and invisible characters.
//
// Thread-safety: pure functions.
#pragma once

#include <string_view>

namespace surtitle {

// The last sign of a word that may end a sentence.
enum class Stop {
  kNone,
  kFullStop,
  kEllipsis,  // "..." or "…"
  kMark,      // ! or ?, alone or with other stops
};

// The class of the first character of a word's core.
enum class Initial { kNone, kDigit, kLower, kUpper, kOther };

struct WordSigns {
  std::string_view core;  // the word without the signs at its ends; empty for a word of signs
  Stop stop = Stop::kNone;
  bool opened = false;  // quotes or brackets precede the core
  bool closed = false;  // quotes or brackets follow the stop, or the core if there is no stop
  bool quoted = false;  // one of them is a quote
  bool pause = false;   // the core ends in a comma, semicolon or colon, or the word is a dash
  Initial initial = Initial::kNone;
};

// Returns the signs of a word. Unicode's properties define them (UAX 29, Sentence_Break). Invisible
// characters do not count. REQUIRES: valid UTF-8.
WordSigns signs_of(std::string_view word);

// Whether a word has a letter or a digit.
bool has_text(std::string_view word);

}  // namespace surtitle
