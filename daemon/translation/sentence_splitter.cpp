#include "daemon/translation/sentence_splitter.h"

#include <algorithm>
#include <array>
#include <string>

namespace surtitle {
namespace {

constexpr std::array<std::string_view, 14> kClosing{"\"", "'", ")", "]", "}", "»", "«",
                                                    "“",  "”", "’", "‘", "›", "‹", "*"};
constexpr std::array<std::string_view, 12> kOpening{"\"", "'", "(", "[", "{", "»",
                                                    "«",  "“", "„", "‘", "‚", "›"};
constexpr std::array<std::string_view, 6> kAlwaysEnd{"!", "?", "…", "。", "！", "？"};
constexpr std::array<std::string_view, 34> kAbbreviations{
    "z.B.",  "d.h.", "u.a.",  "o.ä.", "u.ä.", "i.d.R.", "Dr.",  "Prof.", "Hr.",
    "Hrn.",  "Fr.",  "bzw.",  "ca.",  "usw.", "Nr.",    "St.",  "Str.",  "Abs.",
    "evtl.", "ggf.", "inkl.", "Mio.", "Mrd.", "vgl.",   "etc.", "sog.",  "Mr.",
    "Mrs.",  "Ms.",  "e.g.",  "i.e.", "vs.",  "Jr.",    "Sr."};

template <std::size_t kCount>
std::string_view suffix_of(std::string_view word,
                           const std::array<std::string_view, kCount>& suffixes) {
  for (const std::string_view suffix : suffixes) {
    if (word.ends_with(suffix)) {
      return suffix;
    }
  }
  return {};
}

std::string_view without_closing(std::string_view word) {
  for (std::string_view suffix = suffix_of(word, kClosing); !suffix.empty();
       suffix = suffix_of(word, kClosing)) {
    word.remove_suffix(suffix.size());
  }
  return word;
}

std::string_view without_opening(std::string_view word) {
  const auto opens = [&](std::string_view prefix) { return word.starts_with(prefix); };
  for (const auto* prefix = std::find_if(kOpening.begin(), kOpening.end(), opens);
       prefix != kOpening.end(); prefix = std::find_if(kOpening.begin(), kOpening.end(), opens)) {
    word.remove_prefix(prefix->size());
  }
  return word;
}

bool is_ordinal(std::string_view stem) {
  return !stem.empty() && stem.size() <= 2 &&
         std::all_of(stem.begin(), stem.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether the text is one character that is an ASCII letter or not ASCII: "A", "Ä".
bool is_single_letter(std::string_view stem) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  if (stem.empty() || !std::all_of(stem.begin() + 1, stem.end(), continues)) {
    return false;
  }
  const auto first = static_cast<unsigned char>(stem.front());
  return first >= 0x80 || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
}

// Also true for an upper-case first letter, as at the beginning of a sentence: "Z.B."
bool is_abbreviation(std::string_view word) {
  std::string small(word);
  if (!small.empty() && small.front() >= 'A' && small.front() <= 'Z') {
    small.front() = static_cast<char>(small.front() - 'A' + 'a');
  }
  return std::any_of(kAbbreviations.begin(), kAbbreviations.end(),
                     [&](std::string_view known) { return known == word || known == small; });
}

}  // namespace

bool ends_sentence(std::string_view word) {
  word = without_closing(word);
  if (!suffix_of(word, kAlwaysEnd).empty()) {
    return true;
  }
  if (!word.ends_with('.')) {
    return false;
  }
  word = without_opening(word);
  const std::string_view stem = word.substr(0, word.size() - 1);
  return !is_ordinal(stem) && !is_single_letter(stem) && !is_abbreviation(word);
}

}  // namespace surtitle
