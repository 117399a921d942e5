#include "metrics/text.h"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace surtitle {
namespace {

struct Character {
  char32_t code_point;
  std::size_t bytes;
};

// Returns the first character of `text`. REQUIRES: text is not empty.
Character first_character(std::string_view text) {
  constexpr Character kBroken = {U'\uFFFD', 1};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return kBroken;
  }
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < bytes) {
    return kBroken;
  }
  char32_t code_point = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) {
      return kBroken;
    }
    code_point = (code_point << 6U) | (next & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kMinCodePoint = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kMinCodePoint[bytes] || code_point > 0x10FFFF || surrogate) {
    return kBroken;
  }
  return {code_point, bytes};
}

}  // namespace

bool is_python_space(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) {
    const Character first = first_character(text);
    characters.push_back(first.code_point);
    text.remove_prefix(first.bytes);
  }
  return characters;
}

std::vector<std::string_view> python_split(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = first_character(text.substr(at));
    if (is_python_space(character.code_point)) {
      if (at > begin) {
        words.push_back(text.substr(begin, at - begin));
      }
      begin = at + character.bytes;
    }
    at += character.bytes;
  }
  if (at > begin) {
    words.push_back(text.substr(begin));
  }
  return words;
}

std::string_view python_strip(std::string_view text) {
  const std::vector<std::string_view> words = python_split(text);
  if (words.empty()) {
    return {};
  }
  const char* end = words.back().data() + words.back().size();
  return {words.front().data(), static_cast<std::size_t>(end - words.front().data())};
}

std::string folded(std::string_view text) {
  UErrorCode failure = U_ZERO_ERROR;
  const icu::UnicodeString unicode =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  icu::UnicodeString normal;
  icu::Normalizer2::getNFKCInstance(failure)->normalize(unicode, normal, failure);
  if (U_FAILURE(failure)) {
    throw std::runtime_error(std::string("cannot normalise a text: ") + u_errorName(failure));
  }
  std::string result;
  normal.toLower(icu::Locale::getRoot()).toUTF8String(result);
  return result;
}

std::string_view python_rstrip(std::string_view text) {
  std::size_t end = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = first_character(text.substr(at));
    at += character.bytes;
    if (!is_python_space(character.code_point)) {
      end = at;
    }
  }
  return text.substr(0, end);
}

}  // namespace surtitle
