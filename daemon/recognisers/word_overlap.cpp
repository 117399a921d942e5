#include "daemon/recognisers/word_overlap.h"

#include <algorithm>

#include "model/text/ascii.h"

namespace surtitle {

std::string bare_word(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80U) {
      letters += lower(c);
    }
  }
  return letters;
}

std::size_t repeated_words(const std::vector<std::string>& last,
                           const std::vector<std::string>& next) {
  for (std::size_t count = std::min(last.size(), next.size()); count > 0; --count) {
    if (std::equal(last.end() - static_cast<std::ptrdiff_t>(count), last.end(), next.begin(),
                   [](const std::string& a, const std::string& b) {
                     return bare_word(a) == bare_word(b);
                   })) {
      return count;
    }
  }
  return 0;
}

std::size_t repeated_bytes(std::string_view last, std::string_view next) {
  // Knuth, Morris and Pratt: border[i] is the longest beginning of next[0..i] that also ends it.
  std::vector<std::size_t> border(next.size());
  std::size_t length = 0;
  const auto extend = [&](char c) {
    while (length > 0 && (length == next.size() || next[length] != c)) {
      length = border[length - 1];
    }
    length += length < next.size() && next[length] == c ? 1 : 0;
  };
  for (std::size_t i = 1; i < next.size(); ++i) {
    extend(next[i]);
    border[i] = length;
  }
  length = 0;
  for (const char c : last) {
    extend(c);
  }
  return length;
}

}  // namespace surtitle
