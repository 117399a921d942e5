// Text as Python splits and decodes it.
//
// The reference implementations of the quality metrics are in Python. Thread-safety: all functions
// may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns true for white space of Python's str.split(): Unicode's and the separators U+001C to
// U+001F.
bool is_python_space(char32_t character) noexcept;

// Returns the code points of UTF-8 text. A byte that is part of no character becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

// str.split(): maximal runs without white space.
std::vector<std::string_view> python_split(std::string_view text);

// str.strip(): `text` without white space at its beginning and end.
std::string_view python_strip(std::string_view text);

// unicodedata.normalize("NFKC", text).lower(). A byte that is part of no character becomes U+FFFD.
std::string folded(std::string_view text);

// str.rstrip(): `text` without white space at its end.
std::string_view python_rstrip(std::string_view text);

}  // namespace surtitle
