// Characters of text, for the search of words.
//
// Thread-safety: pure functions.
#pragma once

#include <unicode/uchar.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "model/util/utf8.h"

namespace surtitle {

inline UChar32 icu_code(char32_t character) { return static_cast<UChar32>(character); }

// Returns the character without its case.
inline char32_t folded(char32_t character) {
  return static_cast<char32_t>(u_foldCase(icu_code(character), U_FOLD_CASE_DEFAULT));
}

// Calls `function` with each character and its bytes. REQUIRES: valid UTF-8.
template <class Function>
void each_character(std::string_view text, const Function& function) {
  while (!text.empty()) {
    const auto length = static_cast<std::size_t>(std::max(first_character_length(text), 1));
    const std::string_view bytes = text.substr(0, length);
    function(code_point(bytes), bytes);
    text.remove_prefix(bytes.size());
  }
}

}  // namespace surtitle
