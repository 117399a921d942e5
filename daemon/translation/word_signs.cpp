#include "daemon/translation/word_signs.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

namespace surtitle {
namespace {

constexpr UChar32 kEllipsisSign = 0x2026;

UChar32 first_character(std::string_view text) {
  std::int32_t at = 0;
  UChar32 character = 0;
  U8_NEXT_OR_FFFD(text.data(), at, static_cast<std::int32_t>(text.size()), character);
  return character;
}

UChar32 last_character(std::string_view text, std::size_t& length) {
  auto at = static_cast<std::int32_t>(text.size());
  UChar32 character = 0;
  U8_PREV_OR_FFFD(text.data(), 0, at, character);
  length = text.size() - static_cast<std::size_t>(at);
  return character;
}

int sentence_break(UChar32 character) {
  return u_getIntPropertyValue(character, UCHAR_SENTENCE_BREAK);
}

// Symbols, such as emoji, and footnote signs are no part of the sentence's grammar either.
bool is_ignored(UChar32 character) {
  return u_hasBinaryProperty(character, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0 ||
         u_isUWhiteSpace(character) != 0 || u_iscntrl(character) != 0 ||
         u_charType(character) == U_OTHER_SYMBOL || u_charType(character) == U_NON_SPACING_MARK ||
         u_charType(character) == U_FORMAT_CHAR;
}

bool is_bracket_or_quote(UChar32 character) {
  return sentence_break(character) == U_SB_CLOSE || character == '*';
}

Stop stop_of(UChar32 character) {
  if (character == kEllipsisSign) {
    return Stop::kEllipsis;
  }
  switch (sentence_break(character)) {
    case U_SB_ATERM:
      return Stop::kFullStop;
    case U_SB_STERM:
      return Stop::kMark;
    default:
      return Stop::kNone;
  }
}

// Removes the characters at the end that `take` accepts.
template <class Take>
void trim_end(std::string_view& text, const Take& take) {
  std::size_t length = 0;
  while (!text.empty() && take(last_character(text, length))) {
    text.remove_suffix(length);
  }
}

void trim_closing(std::string_view& text, WordSigns& signs) {
  trim_end(text, [&](UChar32 character) {
    signs.closed = signs.closed || is_bracket_or_quote(character);
    signs.quoted = signs.quoted || u_hasBinaryProperty(character, UCHAR_QUOTATION_MARK) != 0;
    return is_bracket_or_quote(character) || is_ignored(character);
  });
}

Stop trim_stops(std::string_view& text) {
  Stop stop = Stop::kNone;
  trim_end(text, [&](UChar32 character) {
    const Stop found = stop_of(character);
    if (found == Stop::kFullStop && stop == Stop::kFullStop) {
      stop = Stop::kEllipsis;
    } else {
      stop = std::max(stop, found);
    }
    return found != Stop::kNone || is_ignored(character);
  });
  return stop;
}

bool trim_opening(std::string_view& text) {
  bool opened = false;
  while (!text.empty()) {
    const UChar32 character = first_character(text);
    const bool opens =
        is_bracket_or_quote(character) || character == 0xA1 || character == 0xBF;  // ¡ ¿
    if (!opens && (!is_ignored(character) || u_charType(character) == U_OTHER_SYMBOL)) {
      break;
    }
    opened = opened || opens;
    text.remove_prefix(static_cast<std::size_t>(U8_LENGTH(character)));
  }
  return opened;
}

Initial initial_of(std::string_view core) {
  if (core.empty()) {
    return Initial::kNone;
  }
  const UChar32 character = first_character(core);
  if (u_isdigit(character) != 0) {
    return Initial::kDigit;
  }
  if (u_isULowercase(character) != 0) {
    return Initial::kLower;
  }
  if (u_isUUppercase(character) != 0 || u_istitle(character) != 0) {
    return Initial::kUpper;
  }
  return u_isalpha(character) != 0 ? Initial::kOther : Initial::kNone;
}

bool is_pause(std::string_view core) {
  if (core.empty()) {
    return false;
  }
  std::size_t length = 0;
  const UChar32 last = last_character(core, length);
  const bool dash = u_hasBinaryProperty(last, UCHAR_DASH) != 0;
  const bool comma = sentence_break(last) == U_SB_SCONTINUE || last == ';';
  return dash ? core.size() == length : comma;
}

}  // namespace

WordSigns signs_of(std::string_view word) {
  WordSigns signs;
  signs.opened = trim_opening(word);
  trim_closing(word, signs);
  signs.stop = trim_stops(word);
  WordSigns inner;  // of quotes before the stop
  trim_closing(word, inner);
  signs.core = word;
  signs.pause = is_pause(word);
  signs.initial = initial_of(word);
  return signs;
}

bool has_text(std::string_view word) {
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(word.size());) {
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(word.data(), at, static_cast<std::int32_t>(word.size()), character);
    if (u_isalnum(character) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace surtitle
