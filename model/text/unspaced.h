// Scripts without spaces between words: Chinese, Japanese, Thai, Lao, Khmer and Burmese.
//
// A character of such a script is a word, with the marks on it and the signs around it. So words
// are known while text arrives, and are the same however it is divided into messages.
//
// Thread-safety: all functions may be called from any thread; a WordScanner has one owner.
#pragma once

#include <string_view>

namespace surtitle {

// Returns whether the character is a letter of such a script.
bool is_unspaced(char32_t character) noexcept;

// Finds where words begin in text that arrives character by character.
class WordScanner {
 public:
  // Returns whether the next character begins a word. White space only ends the word before.
  bool next(char32_t character) noexcept;

 private:
  bool in_word_ = false;
  bool has_letter_ = false;  // the word so far
  bool unspaced_ = false;    // its last letter
};

// Whether the first, or the last letter of a word is of such a script.
bool begins_unspaced(std::string_view word) noexcept;
bool ends_unspaced(std::string_view word) noexcept;

// Whether the word begins with a letter of Thai, Lao, Khmer or Burmese. There, a space before it
// divides phrases or sentences and is part of the text; in the other scripts, it has no meaning.
bool keeps_spaces(std::string_view word) noexcept;

// Whether the word ends with a stop, a comma or another sign.
bool ends_with_sign(std::string_view word) noexcept;

// Returns the text between two words that are joined: "" or " ".
std::string_view space_between(std::string_view word, std::string_view next) noexcept;

// Returns the columns of a terminal or a subtitle that a text needs: two for each wide character.
int display_width(std::string_view text) noexcept;

}  // namespace surtitle
