#include "model/text/normalisation_rules.h"

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

// Soft hyphen, zero-width space, directional marks, word joiner, byte order mark. The joiners
// U+200C and U+200D stay: emoji need them.
constexpr auto kInvisible = std::to_array<unsigned>({0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF});

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
  for (const unsigned character : kInvisible) rules << character << "\t\n";
  for (char32_t character = 0x9; character <= 0x3000; ++character) {
    if (character != ' ' && is_white_space(character)) {
      rules << static_cast<std::uint32_t>(character) << "\t20\n";
    }
  }
  return std::move(rules).str();
}

}  // namespace surtitle
