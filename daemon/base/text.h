// Small text functions that several parts of the daemon share.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/text/unspaced.h"

namespace surtitle {

// Returns `text` in single quotes for a message of one line. Control characters become '?'. A text
// of more than `longest` bytes is cut between two characters and ends in "...". REQUIRES: valid
// UTF-8.
std::string in_quotes(std::string_view text, std::size_t longest = 60);

// Returns "1 sentence", "2 sentences".
std::string counted(std::size_t count, const std::string& noun);

// Escapes the characters that would be markup in HTML and WebVTT.
std::string escape_html(std::string_view text);

// Returns the number if the whole text is one from `least` to `most`, or nullopt otherwise.
std::optional<int> parse_number(std::string_view text, int least, int most);

// Returns the nearest position at or before `position` at which a UTF-8 character begins. REQUIRES:
// valid UTF-8, and `position` is at most its size.
std::size_t character_begin(std::string_view text, std::size_t position);

// Returns the words [first, end) with a space between them, if their scripts have spaces.
template <class Words>
std::string join_words(const Words& words, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) {
    if (i > first) {
      text += space_between(words[i - 1], words[i]);
    }
    text += words[i];
  }
  return text;
}

template <class Words>
std::string join_words(const Words& words) {
  return join_words(words, 0, words.size());
}

}  // namespace surtitle
