#include "model/text/normalisation_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>

#include "model/util/utf8.h"

namespace surtitle {
namespace {

// Latin letters that a following combining mark turns into one letter (Unicode's NFC).
struct Composition {
  unsigned mark;
  std::string_view bases;
  std::u32string_view composed;  // in the order of `bases`
};
constexpr auto kCompositions = std::to_array<Composition>({
    {0x300, "AEIOUaeiou", U"ÀÈÌÒÙàèìòù"},
    {0x301, "ACEILNORSUYZaceilnorsuyz", U"ÁĆÉÍĹŃÓŔŚÚÝŹáćéíĺńóŕśúýź"},
    {0x302, "ACEGHIJOSUWYaceghijosuwy", U"ÂĈÊĜĤÎĴÔŜÛŴŶâĉêĝĥîĵôŝûŵŷ"},
    {0x303, "AINOUainou", U"ÃĨÑÕŨãĩñõũ"},
    {0x304, "AEIOUaeiou", U"ĀĒĪŌŪāēīōū"},
    {0x306, "AEGIOUaegiou", U"ĂĔĞĬŎŬăĕğĭŏŭ"},
    {0x307, "CEGIZcegz", U"ĊĖĠİŻċėġż"},
    {0x308, "AEIOUYaeiouy", U"ÄËÏÖÜŸäëïöüÿ"},
    {0x30A, "AUau", U"ÅŮåů"},
    {0x30B, "OUou", U"ŐŰőű"},
    {0x30C, "CDELNRSTZcdelnrstz", U"ČĎĚĽŇŘŠŤŽčďěľňřšťž"},
    {0x327, "CGKLNRSTcgklnrst", U"ÇĢĶĻŅŖŞŢçģķļņŗşţ"},
    {0x328, "AEIUaeiu", U"ĄĘĮŲąęįų"},
});

constexpr auto kLigatures =
    std::to_array<std::string_view>({"ff", "fi", "fl", "ffi", "ffl"});  // U+FB00 and on

// Soft hyphen, zero-width space and joiners, directional marks, word joiner, variation selectors,
// byte order mark.
constexpr auto kInvisible = std::to_array<unsigned>(
    {0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFE0E, 0xFE0F, 0xFEFF});

// Characters of equal meaning and their replacement.
struct Replacement {
  std::u32string_view characters;
  std::string_view ascii;
};
constexpr auto kReplacements = std::to_array<Replacement>({
    {U"\u00AB\u00BB\u201C\u201D\u201E\u201F\u2033\u2036", "\""},
    {U"\u0060\u00B4\u02BC\u02BF\u2018\u2019\u201A\u201B\u2032\u2035\u2039\u203A", "'"},
    {U"\u2010\u2011\u2043\u2212", "-"},
    {U"\u2026", "..."},
});
constexpr std::u32string_view kDashes = U"\u2012\u2014\u2015";  // replaced by U+2013

struct Range {
  char32_t first;
  char32_t last;
};
constexpr auto kRequiredRanges = std::to_array<Range>({
    {0x21, 0x7E},      // ASCII
    {0xA1, 0xAC},      // signs of Latin-1; U+00AD is invisible
    {0xAE, 0x17F},     // Latin-1 and Latin Extended-A
    {0x1CD, 0x1DC},    // caron on vowels: Pinyin
    {0x218, 0x21B},    // Romanian
    {0x391, 0x3A1},    // Greek capitals
    {0x3A3, 0x3A9},    // and the rest of them
    {0x3B1, 0x3C9},    // Greek small letters
    {0x1E9E, 0x1E9E},  // capital sharp s
    {0x1EA0, 0x1EF9},  // Vietnamese
    {0x2080, 0x2089},  // subscript digits
    {0x2190, 0x2193},  // arrows
});
constexpr std::u32string_view kRequiredSigns =
    U"\u2013\u2020\u2022\u2030\u20AC\u20B4\u20B9\u20BA\u20BD\u20BF\u2116\u2117\u2122\u2126\u2194"
    U"\u21D2"
    U"\u2202\u2206\u2211\u221A\u221E\u2248\u2260\u2264\u2265\u266A\u2605\u2606\u2610\u2611\u2612"
    U"\u2713"
    U"\u2714\u2717\u25B6\u25CF\u25CB\u263A\u2639\u2764\u2705\u274C\u2753\u2757"
    U"\U0001F389\U0001F44B\U0001F44D\U0001F44E\U0001F44F\U0001F494\U0001F525\U0001F600\U0001F602"
    U"\U0001F609\U0001F60A\U0001F60D\U0001F622\U0001F62D\U0001F642\U0001F64F\U0001F680\U0001F914"
    U"\U0001F923";

bool is_replaced(char32_t character) {
  const auto in = [&](std::u32string_view set) { return set.find(character) != set.npos; };
  return in(kDashes) || std::any_of(kReplacements.begin(), kReplacements.end(),
                                    [&](const Replacement& one) { return in(one.characters); });
}

}  // namespace

std::string normalisation_rules() {
  std::ostringstream rules;
  rules << std::hex << std::uppercase;
  for (const Composition& row : kCompositions) {
    for (std::size_t index = 0; index < row.bases.size(); ++index) {
      rules << static_cast<unsigned>(row.bases[index]) << ' ' << row.mark << '\t'
            << static_cast<std::uint32_t>(row.composed[index]) << '\n';
    }
  }
  unsigned ligature = 0xFB00;
  for (const std::string_view letters : kLigatures) {
    rules << ligature++ << '\t';
    for (const char letter : letters) rules << static_cast<unsigned>(letter) << ' ';
    rules << '\n';
  }
  for (const auto& [characters, ascii] : kReplacements) {
    for (const char32_t character : characters) {
      rules << static_cast<std::uint32_t>(character) << '\t';
      for (const char letter : ascii) rules << static_cast<unsigned>(letter) << ' ';
      rules << '\n';
    }
  }
  for (const char32_t dash : kDashes) rules << static_cast<std::uint32_t>(dash) << "\t2013\n";
  for (const unsigned character : kInvisible) rules << character << "\t\n";
  for (char32_t character = 0x9; character <= 0x3000; ++character) {
    if (character != ' ' && is_white_space(character)) {
      rules << static_cast<std::uint32_t>(character) << "\t20\n";
    }
  }
  return std::move(rules).str();
}

std::string required_characters() {
  std::string characters;
  for (const auto& [first, last] : kRequiredRanges) {
    for (char32_t character = first; character <= last; ++character) {
      if (!is_replaced(character)) append_utf8(character, characters);
    }
  }
  for (const char32_t sign : kRequiredSigns) append_utf8(sign, characters);
  return characters;
}

}  // namespace surtitle
