// Characters of ASCII and white space of text.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace surtitle {

inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

inline std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

// Returns the text without white space at its ends.
constexpr std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(kWhiteSpace) + 1 - first);
}

constexpr bool is_blank(std::string_view text) {
  return text.find_first_not_of(kWhiteSpace) == text.npos;
}

}  // namespace surtitle
