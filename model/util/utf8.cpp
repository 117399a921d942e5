#include "model/util/utf8.h"

#include <cstddef>

namespace surtitle {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// Range of the second byte after `lead` (Unicode, table 3-7). It excludes overlong forms,
// surrogates and code points above U+10FFFF.
struct Range {
  unsigned low = 0x80;
  unsigned high = 0xBF;
};
Range second_byte_range(unsigned lead) {
  switch (lead) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {};
  }
}

}  // namespace

int first_character_length(std::string_view text) noexcept {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return -1;
  const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  Range range = second_byte_range(lead);
  for (int index = 1; index < length; ++index) {
    if (static_cast<std::size_t>(index) == text.size()) return 0;
    const unsigned byte = byte_at(text, static_cast<std::size_t>(index));
    if (byte < range.low || byte > range.high) return -1;
    range = {};
  }
  return length;
}

char32_t code_point(std::string_view character) noexcept {
  const unsigned lead = byte_at(character, 0);
  if (character.size() == 1) return lead;
  // The lead byte of n bytes has 7 - n bits of the code point.
  char32_t value = lead & (0x7FU >> character.size());
  for (std::size_t index = 1; index < character.size(); ++index) {
    value = value << 6 | (byte_at(character, index) & 0x3FU);
  }
  return value;
}

void append_utf8(char32_t character, std::string& text) {
  const auto byte = [&](unsigned value) { text += static_cast<char>(value); };
  const auto six_bits = [&](unsigned shift) { byte(0x80U | (character >> shift & 0x3FU)); };
  if (character < 0x80) {
    byte(character);
  } else if (character < 0x800) {
    byte(0xC0U | character >> 6U);
    six_bits(0);
  } else if (character < 0x10000) {
    byte(0xE0U | character >> 12U);
    six_bits(6);
    six_bits(0);
  } else {
    byte(0xF0U | character >> 18U);
    six_bits(12);
    six_bits(6);
    six_bits(0);
  }
}

bool is_valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const int length = first_character_length(text);
    if (length <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

bool is_white_space(char32_t character) noexcept {
  return (character >= 0x09 && character <= 0x0D) || character == 0x20 || character == 0x85 ||
         character == 0xA0 || character == 0x1680 || (character >= 0x2000 && character <= 0x200A) ||
         character == 0x2028 || character == 0x2029 || character == 0x202F || character == 0x205F ||
         character == 0x3000;
}

}  // namespace surtitle
