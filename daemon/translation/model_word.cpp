#include "daemon/translation/model_word.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "model/text/ascii.h"
#include "model/text/speech_marks.h"

namespace surtitle {
namespace {

// Symbols that texts have, and models know.
constexpr std::u32string_view kKnown = U"+=±×÷→°©®™|";
constexpr std::u32string_view kUnknown = U"^\\{}";

// Signs as words, which models read.
struct SignWords {
  char32_t sign;
  std::string_view german;
  std::string_view english;
};
constexpr auto kSignWords = std::to_array<SignWords>({
    {U'≠', "ungleich", "not equal to"},
    {U'≥', "mindestens", "at least"},
    {U'≤', "höchstens", "at most"},
    {U'≈', "ungefähr", "approximately"},
    {U'×', "mal", "times"},
    {U'−', "minus", "minus"},
    {U'№', "Nr.", "No."},
});
constexpr std::u32string_view kMinus = U"−‐‑‒﹣－";

bool is_in(std::u32string_view list, UChar32 character) {
  return list.find(static_cast<char32_t>(character)) != list.npos;
}

// Returns the word of a sign in this language, or an empty text.
std::string_view sign_word(UChar32 character, std::string_view language) {
  const auto* words = std::find_if(kSignWords.begin(), kSignWords.end(), [&](const SignWords& one) {
    return static_cast<UChar32>(one.sign) == character;
  });
  return words == kSignWords.end()    ? std::string_view()
         : language.starts_with("de") ? words->german
         : language.starts_with("en") ? words->english
                                      : std::string_view();
}

// Whether the character is another form of characters that models know: ½ ③ Ⅳ ㎏ ℃ ５.
bool is_compatible(UChar32 character) {
  switch (u_getIntPropertyValue(character, UCHAR_DECOMPOSITION_TYPE)) {
    case U_DT_FRACTION:
    case U_DT_CIRCLE:
    case U_DT_SQUARE:
    case U_DT_FONT:
      return true;
    case U_DT_WIDE:
      return u_isalnum(character) != 0;
    case U_DT_COMPAT:
      return u_charType(character) == U_LETTER_NUMBER || u_charType(character) == U_OTHER_NUMBER ||
             u_charType(character) == U_OTHER_SYMBOL;
    default:
      return false;
  }
}

// Returns the characters that a compatible one stands for.
std::string written_out(UChar32 character) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFKCInstance(error);
  std::string text;
  if (U_SUCCESS(error)) {
    icu::UnicodeString written = normalizer->normalize(icu::UnicodeString(character), error);
    written.findAndReplace(icu::UnicodeString(UChar32{0x2044}), icu::UnicodeString(UChar32{'/'}));
    written.toUTF8String(text);
  }
  return text;
}

bool is_picture(UChar32 character) {
  return u_charType(character) == U_OTHER_SYMBOL && !is_in(kKnown, character) &&
         !is_compatible(character) && sign_word(character, "de").empty();
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
constexpr UChar32 kFirstOperator = 0x2200;
constexpr UChar32 kLastOperator = 0x22FF;

bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80U;
}

// Returns the mark in square brackets at the beginning of a text, such as "[Applaus]", or an empty
// text. Brackets that name no sound are none.
std::string_view mark_at(std::string_view text) {
  if (!text.starts_with('[')) {
    return {};
  }
  const std::size_t close = text.substr(0, kMaxMark).find(']');
  if (close == text.npos || text.find('[', 1) < close) {
    return {};
  }
  const std::string_view mark = text.substr(0, close + 1);
  return names_mark(mark.substr(1, mark.size() - 2)) ? mark : std::string_view();
}

// Returns a whole word without tags, and without text if it is a mark without square brackets, such
// as "(lacht)".
std::string without_markup(std::string word) {
  if (word.empty() || word.front() == '[') {
    return word;
  }
  SpeechElement element =
      first_element(std::span(&word, 1), /*language=*/"", /*begins=*/false, /*at_end=*/true);
  if (!element.rest.empty()) {
    return word.front() == '<' ? without_markup(std::move(element.rest)) : word;
  }
  return element.kind == SpeechElement::Kind::kMark   ? std::string()
         : element.kind == SpeechElement::Kind::kWord ? std::move(element.text)
                                                      : word;
}

// Returns the length of a control character, or of the escape sequence of a terminal that it
// begins; 0 if there is none.
std::size_t control_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with("\x1b[")) {
    return static_cast<unsigned char>(rest[0]) < 0x20 || rest[0] == '\x7f' ? 1 : 0;
  }
  std::size_t end = 2;
  while (end < rest.size() && (rest[end] < '@' || rest[end] > '~')) {
    ++end;
  }
  return std::min(end + 1, rest.size());
}

// Returns the word with words and known characters in place of others.
std::string in_known_characters(std::string_view word, std::string_view language) {
  std::string known;
  for (std::size_t at = 0; at < word.size();) {
    if (const std::size_t control = control_at(word, at); control > 0) {
      at += control;
      continue;
    }
    const Character one = character_at(word, at);
    const bool begins = known.empty() || !is_alphanumeric(known.back());
    at += one.size;
    const bool before_number = at < word.size() && u_isdigit(character_at(word, at).code) != 0;
    const std::string_view words = sign_word(one.code, language);
    if (is_in(kMinus, one.code) && (before_number || one.code == U'−') &&
        (begins || one.code == U'−') && word.size() > one.size) {
      known += '-';
    } else if (!words.empty()) {
      known += (known.empty() ? "" : " ") + std::string(words) + (at < word.size() ? " " : "");
    } else if (is_compatible(one.code)) {
      const bool is_fraction =
          u_getIntPropertyValue(one.code, UCHAR_DECOMPOSITION_TYPE) == U_DT_FRACTION;
      known += (is_fraction && !begins ? " " : "") + written_out(one.code);
    } else {
      known += word.substr(at - one.size, one.size);
    }
  }
  return known;
}

// Returns the word without the asterisks of Markdown around it: "wichtig," for "*wichtig*,".
std::string without_emphasis(std::string word) {
  const std::size_t begin = word.find_first_not_of('*');
  if (begin == word.npos) {
    return word;
  }
  word.erase(0, begin);
  const std::size_t end = word.find_last_not_of(".,;:!?");
  const std::size_t last = word.substr(0, end == word.npos ? 0 : end + 1).find_last_not_of('*');
  if (last != word.npos) {
    word.erase(last + 1, end - last);
  }
  return word;
}

Character last_character(std::string_view text) {
  auto at = static_cast<std::int32_t>(text.size());
  Character found;
  U8_PREV_OR_FFFD(text.data(), 0, at, found.code);
  found.size = text.size() - static_cast<std::size_t>(at);
  return found;
}

}  // namespace

std::string_view first_unread(std::string_view text, std::string_view language) {
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
    if (word_begins && is_unknown_sign(first.code) && sign_word(first.code, language).empty()) {
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

bool loses_sign(std::string_view word, std::string_view language) {
  for (std::size_t at = 0; at < word.size();) {
    const Character sign = character_at(word, at);
    at += sign.size;
    if (sign.code >= kFirstOperator && sign.code <= kLastOperator && sign.code != U'−' &&
        sign_word(sign.code, language).empty() &&
        model_word(word, language).find(word.substr(at - sign.size, sign.size)) ==
            std::string::npos) {
      return true;
    }
  }
  return false;
}

std::string model_word(std::string_view whole, std::string_view language) {
  const std::string readable = without_markup(in_known_characters(whole, language));
  std::string_view word = readable;
  std::string kept;
  while (!word.empty()) {
    const std::string_view unread = first_unread(word, language);
    const auto before = static_cast<std::size_t>(unread.data() - word.data());
    kept += word.substr(0, before);
    word.remove_prefix(before + unread.size());
  }
  kept.erase(std::remove_if(kept.begin(), kept.end(), [](char c) { return c == '[' || c == ']'; }),
             kept.end());
  kept = without_emphasis(std::move(kept));
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
