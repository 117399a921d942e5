#include "daemon/translation/model_word.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "model/text/speech_marks.h"

namespace surtitle {
namespace {

// Symbols that texts have, and models know.
constexpr std::u32string_view kKnown = U"+=±×÷→°©®™|";
constexpr std::u32string_view kUnknown = U"^\\{}";

bool is_in(std::u32string_view list, UChar32 character) {
  return list.find(static_cast<char32_t>(character)) != list.npos;
}

bool is_picture(UChar32 character) {
  return u_charType(character) == U_OTHER_SYMBOL && !is_in(kKnown, character);
}

// Joiners, variation selectors and colours of a skin
bool modifies_picture(UChar32 character) {
  return u_hasBinaryProperty(character, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0 ||
         u_hasBinaryProperty(character, UCHAR_EMOJI_MODIFIER) != 0;
}

bool is_unknown_sign(UChar32 character) {
  return (u_charType(character) == U_MATH_SYMBOL && !is_in(kKnown, character)) ||
         is_in(kUnknown, character);
}

// A sign of a word that consists of such signs, at least one of them unknown: "<="
bool is_unread_sign(UChar32 character) {
  return u_charType(character) == U_MATH_SYMBOL || is_unknown_sign(character);
}

struct Character {
  UChar32 code = 0;
  std::size_t size = 0;  // bytes
};

Character character_at(std::string_view text, std::size_t begin) {
  auto at = static_cast<std::int32_t>(begin);
  Character found;
  U8_NEXT_OR_FFFD(text.data(), at, static_cast<std::int32_t>(text.size()), found.code);
  found.size = static_cast<std::size_t>(at) - begin;
  return found;
}

// Returns the longest run from `begin` on of characters that `accept` accepts.
template <class Accept>
std::string_view run_at(std::string_view text, std::size_t begin, const Accept& accept) {
  std::size_t end = begin;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (!accept(character.code)) {
      break;
    }
    end += character.size;
  }
  return text.substr(begin, end - begin);
}

constexpr std::size_t kMaxMark = 60;  // bytes

// Returns the mark in square brackets at the beginning of a text, such as "[Applaus]", or an empty
// text. A number in brackets is none.
std::string_view mark_at(std::string_view text) {
  if (!text.starts_with('[')) {
    return {};
  }
  const std::size_t close = text.substr(0, kMaxMark).find(']');
  if (close == text.npos || text.find('[', 1) < close) {
    return {};
  }
  const std::string_view mark = text.substr(0, close + 1);
  return run_at(mark, 0, [](UChar32 code) { return u_isalpha(code) == 0; }) == mark
             ? std::string_view()
             : mark;
}

// Returns whether a whole word is a mark without square brackets, such as "(lacht)".
bool is_mark(const std::string& word) {
  if (word.empty() || word.front() == '[') {
    return false;
  }
  const SpeechElement element =
      first_element(std::span(&word, 1), /*language=*/"", /*begins=*/false, /*at_end=*/true);
  return element.kind == SpeechElement::Kind::kMark && element.rest.empty();
}

Character last_character(std::string_view text) {
  auto at = static_cast<std::int32_t>(text.size());
  Character found;
  U8_PREV_OR_FFFD(text.data(), 0, at, found.code);
  found.size = text.size() - static_cast<std::size_t>(at);
  return found;
}

}  // namespace

std::string_view first_unread(std::string_view text) {
  const auto space = [](UChar32 code) { return u_isUWhiteSpace(code) != 0; };
  bool word_begins = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const Character first = character_at(text, begin);
    if (is_picture(first.code)) {
      return run_at(text, begin,
                    [](UChar32 code) { return is_picture(code) || modifies_picture(code); });
    }
    const std::string_view mark = word_begins ? mark_at(text.substr(begin)) : std::string_view();
    if (!mark.empty()) {
      return mark;
    }
    if (word_begins && is_unknown_sign(first.code)) {
      const std::string_view signs = run_at(text, begin, is_unread_sign);
      const std::size_t end = begin + signs.size();
      if (end == text.size() || space(character_at(text, end).code)) {
        return signs;
      }
    }
    word_begins = space(first.code);
    begin += first.size;
  }
  return text.substr(text.size());
}

std::string model_word(std::string_view word) {
  if (is_mark(std::string(word))) {
    return {};
  }
  std::string kept;
  while (!word.empty()) {
    const std::string_view unread = first_unread(word);
    const auto before = static_cast<std::size_t>(unread.data() - word.data());
    kept += word.substr(0, before);
    word.remove_prefix(before + unread.size());
  }
  std::string_view known = kept;
  for (Character first; !known.empty(); known.remove_prefix(first.size)) {
    first = character_at(known, 0);
    if (!is_unknown_sign(first.code)) {
      break;
    }
  }
  for (Character last; !known.empty(); known.remove_suffix(last.size)) {
    last = last_character(known);
    if (!is_unknown_sign(last.code)) {
      break;
    }
  }
  return std::string(known);
}

}  // namespace surtitle
