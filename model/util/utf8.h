// The little of UTF-8 that tokens and words need.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

// Looks at the first character of `text`: its length in bytes; 0 where `text` ends inside it; -1
// where it is not UTF-8 (overlong forms, surrogates and code points above U+10FFFF included).
// REQUIRES: not empty.
int first_character_length(std::string_view text) noexcept;

// The code point of one complete character.
char32_t code_point(std::string_view character) noexcept;

// Appends the bytes of one character. REQUIRES: a code point that is no surrogate.
void append_utf8(char32_t character, std::string& text);

bool is_valid_utf8(std::string_view text) noexcept;

// Unicode's White_Space property.
bool is_white_space(char32_t character) noexcept;

}  // namespace surtitle
