#include "model/text/words.h"

#include <algorithm>
#include <optional>

#include "model/text/unspaced.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

// Returns the length of the first character; a byte that is not UTF-8 counts as one character.
std::size_t step_length(std::string_view text) {
  return static_cast<std::size_t>(std::max(first_character_length(text), 1));
}

// A byte that is not UTF-8 becomes U+FFFD.
char32_t first_character(std::string_view text) {
  const int length = first_character_length(text);
  return length > 0 ? code_point(text.substr(0, static_cast<std::size_t>(length))) : U'\uFFFD';
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  WordScanner scanner;
  std::optional<std::size_t> begin;  // of a word
  for (std::size_t at = 0; at < text.size();) {
    const char32_t character = first_character(text.substr(at));
    const bool begins = scanner.next(character);
    if (begin && (begins || is_white_space(character))) {
      words.push_back(text.substr(*begin, at - *begin));
      begin.reset();
    }
    if (begins) begin = at;
    at += step_length(text.substr(at));
  }
  if (begin) words.push_back(text.substr(*begin));
  return words;
}

std::vector<std::string> split_words_with_spaces(std::string_view text) {
  std::vector<std::string> words;
  const char* end = text.data();  // of the word before
  for (const std::string_view word : split_words(text)) {
    const bool after_space = word.data() != end && keeps_spaces(word);
    words.emplace_back(after_space ? " " : "").append(word);
    end = word.data() + word.size();
  }
  return words;
}

}  // namespace surtitle
