#include "daemon/recognisers/word_overlap.h"

#include <algorithm>

#include "model/text/ascii.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::size_t kFirstWords = 4;
constexpr std::size_t kBeginning = 2;  // bytes of a word

}  // namespace

std::string bare_word(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80U) {
      letters += lower(c);
    }
  }
  return letters;
}

std::vector<std::string> bare_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split_words(text)) {
    words.push_back(bare_word(word));
  }
  return words;
}

std::size_t common_first_words(const std::vector<std::string>& last,
                               const std::vector<std::string>& next) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < std::min(kFirstWords, next.size()); ++i) {
    const auto from =
        last.begin() + static_cast<std::ptrdiff_t>(std::min(i > 0 ? i - 1 : 0, last.size()));
    const auto to = last.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, last.size()));
    common += std::find(from, to, next[i]) != to ? 1 : 0;
  }
  return common;
}

bool begins_alike(std::string_view last, std::string_view next) {
  const std::vector<std::string> before = bare_words(last);
  const std::vector<std::string> after = bare_words(next);
  if (before.empty() || after.empty() || common_first_words(before, after) > 0) {
    return true;
  }
  const std::string& a = before.front();
  const std::string& b = after.front();
  const bool are_numbers = !a.empty() && !b.empty() && is_digit(a[0]) && is_digit(b[0]);
  return are_numbers || a.substr(0, kBeginning) == b.substr(0, kBeginning);
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
