#include "daemon/translation/capitals.h"

#include "daemon/translation/characters.h"

namespace surtitle {
namespace {

constexpr int kMinWords = 3;
constexpr int kMinLong = 5;  // letters; abbreviations have fewer

struct Letters {
  int upper = 0;
  int lower = 0;
};

Letters letters_of(std::string_view word) {
  Letters letters;
  each_character(word, [&](char32_t character, std::string_view /*bytes*/) {
    letters.upper += u_isUUppercase(icu_code(character)) != 0 ? 1 : 0;
    letters.lower += u_isULowercase(icu_code(character)) != 0 && character != U'ß' ? 1 : 0;
  });
  return letters;
}

}  // namespace

std::vector<bool> Capitals::mark(const std::vector<std::string_view>& words) {
  std::vector<bool> marks(words.size());
  std::size_t begin = 0;  // of the words in a row
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [upper, lower] = letters_of(words[i]);
    if (lower > 0) {
      in_a_row_ = 0;
      has_long_ = false;
      begin = i + 1;
      continue;
    }
    in_a_row_ += upper > 1 ? 1 : 0;
    has_long_ = has_long_ || upper >= kMinLong;
    for (; in_a_row_ >= kMinWords && has_long_ && begin <= i; ++begin) {
      marks[begin] = true;
    }
  }
  return marks;
}

void Capitals::expect(const std::vector<std::string_view>& words) {
  Capitals other;
  other.mark(words);
  if (other.in_a_row_ >= kMinWords && other.has_long_) {
    *this = other;
  }
}

std::string lower_word(std::string_view word) {
  std::string lowered;
  each_character(word, [&](char32_t character, std::string_view /*bytes*/) {
    append_utf8(static_cast<char32_t>(u_tolower(icu_code(character))), lowered);
  });
  return lowered;
}

}  // namespace surtitle
