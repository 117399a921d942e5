#include "model/text/text_form.h"

#include <clocale>
#include <cwctype>
#include <stdexcept>

#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

// A locale with class and case of every Unicode character, independent of the process' own locale.
// It is opened at the start of the program: later, the process may have too many files open.
const locale_t kUnicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});

locale_t unicode() {
  if (kUnicode == locale_t{}) throw std::runtime_error("the system has no locale C.UTF-8");
  return kUnicode;
}

bool is_read_aloud(char32_t character) {
  constexpr std::u32string_view kSigns = U"%‰&@#+=§°$€£¥¢₹";
  return kSigns.find(character) != std::u32string_view::npos;
}

bool is_punctuation(char32_t character) {
  return iswpunct_l(static_cast<wint_t>(character), unicode()) != 0 && !is_read_aloud(character);
}

std::u32string to_code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const int length = first_character_length(text);
    points += length > 0 ? code_point(text.substr(0, static_cast<std::size_t>(length))) : U'\uFFFD';
    text.remove_prefix(length > 0 ? static_cast<std::size_t>(length) : 1);
  }
  return points;
}

}  // namespace

std::string spoken_word(std::string_view word) {
  const std::u32string points = to_code_points(word);
  std::size_t begin = 0;
  std::size_t end = points.size();
  while (begin < end && is_punctuation(points[begin])) ++begin;
  while (end > begin && is_punctuation(points[end - 1])) --end;
  std::string spoken;
  for (std::size_t i = begin; i < end; ++i) {
    append_utf8(static_cast<char32_t>(towlower_l(static_cast<wint_t>(points[i]), unicode())),
                spoken);
  }
  return spoken;
}

std::string spoken_text(std::string_view text) {
  std::string spoken;
  for (const std::string_view word : split_words(text)) {
    const std::string one = spoken_word(word);
    if (!one.empty()) spoken += (spoken.empty() ? "" : " ") + one;
  }
  return spoken;
}

}  // namespace surtitle
