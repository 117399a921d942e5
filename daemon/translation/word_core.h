// Words without the signs around them, for the search of numbers.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// A word in lower case, and the signs before and after it. A word without letters and digits has an
// empty text.
struct Core {
  std::string before;  // "("
  std::string text;    // "19:30"
  std::string after;   // ","
};

// REQUIRES: valid UTF-8.
std::vector<Core> cores_of(std::span<const std::string> words);

bool all_digits(std::string_view text);

// Returns the value of one or two digits.
std::optional<int> short_number(std::string_view text);

// Returns "9:05" or, without a minute, "9".
std::string clock_text(int hour, std::optional<int> minute);

}  // namespace surtitle
