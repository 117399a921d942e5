// UTF-8 for tokens and words.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

// Returns the length in bytes of the first character of `text`, 0 if `text` ends inside it, or -1
// if it is not UTF-8. Overlong forms, surrogates and code points above U+10FFFF are not UTF-8.
// REQUIRES: text is not empty.
int first_character_length(std::string_view text) noexcept;

// Returns the code point of one complete character.
char32_t code_point(std::string_view character) noexcept;

// Appends the bytes of one character. REQUIRES: character is not a surrogate.
void append_utf8(char32_t character, std::string& text);

bool is_valid_utf8(std::string_view text) noexcept;

// Returns Unicode's White_Space property.
bool is_white_space(char32_t character) noexcept;

}  // namespace surtitle
