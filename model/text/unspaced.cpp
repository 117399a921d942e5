#include "model/text/unspaced.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "model/util/utf8.h"

namespace surtitle {
namespace {

enum class CharacterClass { kLetter, kUnspaced, kMark, kOpening, kSign };

struct CodeRange {
  char32_t first;
  char32_t last;
};

constexpr auto kUnspaced = std::to_array<CodeRange>({
    {0x0E01, 0x0E3A},    // Thai
    {0x0E40, 0x0E4E},    // Thai
    {0x0E81, 0x0EDF},    // Lao
    {0x1000, 0x109F},    // Burmese
    {0x1780, 0x17D3},    // Khmer
    {0x2E80, 0x2FDF},    // radicals of Han
    {0x3005, 0x3007},    // repetition and zero of Han
    {0x3021, 0x3029},    // numerals of Han
    {0x3031, 0x303C},    // repetition of Kana, numerals of Han
    {0x3041, 0x309F},    // Hiragana
    {0x30A1, 0x30FA},    // Katakana
    {0x30FC, 0x312F},    // Katakana, Bopomofo
    {0x31A0, 0x31BF},    // Bopomofo
    {0x31F0, 0x31FF},    // Katakana
    {0x3400, 0x4DBF},    // Han
    {0x4E00, 0x9FFF},    // Han
    {0xF900, 0xFAFF},    // Han
    {0xFF66, 0xFF9F},    // narrow Katakana
    {0x20000, 0x323AF},  // Han
});

// Marks on the letter before.
constexpr auto kMarkRanges = std::to_array<CodeRange>({
    {0x0300, 0x036F},
    {0x0E31, 0x0E31},  // Thai
    {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E},
    {0x0EB1, 0x0EB1},  // Lao
    {0x0EB4, 0x0EBC},
    {0x0EC8, 0x0ECE},
    {0x102B, 0x103E},  // Burmese
    {0x1056, 0x1059},
    {0x105E, 0x1060},
    {0x17B4, 0x17D3},  // Khmer
    {0x3099, 0x309A},  // Kana
    {0xFE00, 0xFE0F},
});

constexpr std::u32string_view kOpenings = U"([{¡¿«‘“‚„‹「『（【《〈〔［｛〖〘〚｟｢";

constexpr auto kSignRanges = std::to_array<CodeRange>({
    {0x20, 0x2F},
    {0x3A, 0x40},
    {0x5B, 0x60},
    {0x7B, 0x7E},
    {0xA1, 0xBF},
    {0x2000, 0x206F},
    {0x3000, 0x303F},
    {0x30A0, 0x30A0},
    {0x30FB, 0x30FB},
    {0xFE10, 0xFE6F},
    {0xFF01, 0xFF0F},
    {0xFF1A, 0xFF20},
    {0xFF3B, 0xFF40},
    {0xFF5B, 0xFF65},
});

constexpr auto kWide = std::to_array<CodeRange>({
    {0x1100, 0x115F},    // Hangul
    {0x2E80, 0x303E},    // radicals of Han, signs
    {0x3041, 0xA4CF},    // Kana, Han, Yi
    {0xAC00, 0xD7A3},    // Hangul
    {0xF900, 0xFAFF},    // Han
    {0xFE30, 0xFE6F},    // signs
    {0xFF01, 0xFF60},    // wide forms of ASCII
    {0xFFE0, 0xFFE6},    // signs
    {0x1F300, 0x1F64F},  // pictures
    {0x1F900, 0x1F9FF},  // pictures
    {0x20000, 0x3FFFD},  // Han
});

template <std::size_t N>
bool is_in(const std::array<CodeRange, N>& ranges, char32_t character) noexcept {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CodeRange& range) {
    return character >= range.first && character <= range.last;
  });
}

CharacterClass class_of(char32_t character) noexcept {
  const char32_t small = character | 0x20U;
  const bool ascii = (small >= 'a' && small <= 'z') || (character >= '0' && character <= '9');
  if (ascii) return CharacterClass::kLetter;
  if (is_in(kMarkRanges, character)) return CharacterClass::kMark;
  if (is_unspaced(character)) return CharacterClass::kUnspaced;
  if (kOpenings.find(character) != std::u32string_view::npos) return CharacterClass::kOpening;
  return is_in(kSignRanges, character) ? CharacterClass::kSign : CharacterClass::kLetter;
}

bool is_letter(CharacterClass one) noexcept {
  return one == CharacterClass::kLetter || one == CharacterClass::kUnspaced;
}

// Removes the first character and returns it. A byte that is not UTF-8 becomes U+FFFD.
char32_t take_first(std::string_view& text) noexcept {
  const int length = first_character_length(text);
  const auto size = static_cast<std::size_t>(std::max(length, 1));
  const char32_t character = length > 0 ? code_point(text.substr(0, size)) : U'\uFFFD';
  text.remove_prefix(size);
  return character;
}

// Returns 0 if the word has no letter.
char32_t first_letter(std::string_view word) noexcept {
  while (!word.empty()) {
    const char32_t character = take_first(word);
    if (is_letter(class_of(character))) return character;
  }
  return 0;
}

// REQUIRES: not empty.
char32_t last_of(std::string_view text) noexcept {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  text.remove_prefix(begin);
  return take_first(text);
}

// Whether the character needs no space beside another such one.
bool joins(char32_t character) noexcept {
  const CharacterClass one = class_of(character);
  const bool sign = one == CharacterClass::kSign || one == CharacterClass::kOpening;
  return one == CharacterClass::kUnspaced || one == CharacterClass::kMark ||
         (sign && character >= 0x3000);
}

}  // namespace

bool is_unspaced(char32_t character) noexcept {
  return character >= kUnspaced.front().first && is_in(kUnspaced, character);
}

bool WordScanner::next(char32_t character) noexcept {
  if (is_white_space(character)) {
    *this = {};
    return false;
  }
  const CharacterClass one = class_of(character);
  const bool divides =
      one == CharacterClass::kUnspaced ||
      (unspaced_ && (one == CharacterClass::kLetter || one == CharacterClass::kOpening));
  const bool begins = !in_word_ || (has_letter_ && divides);
  if (begins) *this = {};
  in_word_ = true;
  if (is_letter(one)) {
    has_letter_ = true;
    unspaced_ = one == CharacterClass::kUnspaced;
  }
  return begins;
}

bool begins_unspaced(std::string_view word) noexcept { return is_unspaced(first_letter(word)); }

bool keeps_spaces(std::string_view word) noexcept {
  constexpr char32_t kFirstOfHan = 0x2E80;
  const char32_t letter = first_letter(word);
  return is_unspaced(letter) && letter < kFirstOfHan;
}

bool ends_unspaced(std::string_view word) noexcept {
  bool unspaced = false;
  while (!word.empty()) {
    const CharacterClass one = class_of(take_first(word));
    if (is_letter(one)) unspaced = one == CharacterClass::kUnspaced;
  }
  return unspaced;
}

bool ends_with_sign(std::string_view word) noexcept {
  return !word.empty() && class_of(last_of(word)) == CharacterClass::kSign;
}

std::string_view space_between(std::string_view word, std::string_view next) noexcept {
  if (word.empty() || next.empty()) return "";
  return joins(last_of(word)) && joins(take_first(next)) ? "" : " ";
}

int display_width(std::string_view text) noexcept {
  int width = 0;
  while (!text.empty()) {
    const char32_t character = take_first(text);
    if (class_of(character) != CharacterClass::kMark) width += is_in(kWide, character) ? 2 : 1;
  }
  return width;
}

}  // namespace surtitle
