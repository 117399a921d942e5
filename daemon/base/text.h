// Small functions on text that more than one part of the daemon needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace surtitle {

// `text` in single quotes, fit for a one-line message: control characters become '?', and what is
// longer than `longest` bytes is cut at a character and ends in "...". REQUIRES: valid UTF-8.
std::string in_quotes(std::string_view text, std::size_t longest = 60);

// "1 sentence", "2 sentences".
std::string counted(std::size_t count, const std::string& noun);

// The nearest position at or before `position` where a UTF-8 character begins. REQUIRES: valid
// UTF-8, position at most its size.
std::size_t character_begin(std::string_view text, std::size_t position);

// The words [first, end) with a space between them.
template <class Words>
std::string join_words(const Words& words, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) {
    text += (i == first ? "" : " ");
    text += words[i];
  }
  return text;
}

template <class Words>
std::string join_words(const Words& words) {
  return join_words(words, 0, words.size());
}

}  // namespace surtitle
