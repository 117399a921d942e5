// Numbers of English in words.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "daemon/translation/language_figures.h"
#include "daemon/translation/word_core.h"

namespace surtitle {

// The first words of a text, as a number.
struct EnglishNumber {
  enum class Kind { kCardinal, kOrdinal, kYear, kDecade };

  std::size_t words = 0;
  int value = 0;
  Kind kind = Kind::kCardinal;
};

// Returns the value of "ninety-eight", or of a smaller number in one word. 0: none.
int english_number_word(std::string_view word);

// Returns the number at the start, an ordinal or a year before a cardinal. REQUIRES: at least one
// word.
std::optional<EnglishNumber> find_english_number(std::span<const Core> words,
                                                 const PreviousWords& previous);

// Returns whether a further word may make a longer number of these.
bool may_continue_english_number(std::span<const Core> words);

}  // namespace surtitle
