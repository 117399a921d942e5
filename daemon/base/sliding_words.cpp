#include "daemon/base/sliding_words.h"

#include <algorithm>
#include <optional>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::size_t kInARow = 8;          // fewer words are often repeated by chance
constexpr std::size_t kGarbled = 3;         // a window may begin in the middle of a word
constexpr std::size_t kUnstable = 2;        // the last words of a window are often corrected
constexpr std::size_t kOverlap = 3;         // the shortest overlap of a first and a second window
constexpr std::size_t kMoved = 2;           // and of later windows
constexpr std::size_t kGarbledOverlap = 5;  // the shortest one after garbled words
constexpr std::size_t kSettled = 10;        // words that are never all replaced
constexpr std::size_t kCompared = 48;       // words of windows without an overlap

using Words = std::vector<std::string>;
using Hypothesis = std::vector<std::string_view>;

// Returns the next character of the word in lower case, without punctuation, and removes it.
char next_character(std::string_view& word) {
  while (!word.empty()) {
    const char c = word.front();
    word.remove_prefix(1);
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80U) {
      return lower(c);
    }
  }
  return '\0';
}

// Compares without case and punctuation, which a recogniser often adds at the end.
bool same(std::string_view left, std::string_view right) {
  for (char c = '\0'; (c = next_character(left)) == next_character(right);) {
    if (c == '\0') {
      return true;
    }
  }
  return false;
}

// Returns the number of words that the hypothesis begins with and `known` has at `position`.
std::size_t same_beginning(const Words& known, std::size_t position, const Hypothesis& hypothesis) {
  const auto first = known.begin() + static_cast<std::ptrdiff_t>(position);
  const auto differ = std::mismatch(first, known.end(), hypothesis.begin(), hypothesis.end());
  return static_cast<std::size_t>(differ.first - first);
}

// Returns the position of the hypothesis in `known`, at `from` or later, by many words in a row.
std::optional<std::size_t> position_of(const Words& known, const Hypothesis& hypothesis,
                                       std::size_t from) {
  for (std::size_t garbled = 0; garbled <= kGarbled && garbled + kInARow <= hypothesis.size();
       ++garbled) {
    if (from + garbled > known.size()) {
      break;
    }
    const auto anchor = hypothesis.begin() + static_cast<std::ptrdiff_t>(garbled);
    const auto found = std::search(known.begin() + static_cast<std::ptrdiff_t>(from + garbled),
                                   known.end(), anchor, anchor + kInARow);
    if (found != known.end()) {
      return static_cast<std::size_t>(found - known.begin()) - garbled;
    }
  }
  return std::nullopt;
}

// Returns the number of words in a row that the hypothesis has from `position` on, from its word
// `garbled` on. It is 0 unless they are all of its words or reach the end of `known`.
std::size_t overlap_at(const Words& known, std::size_t position, const Hypothesis& hypothesis,
                       std::size_t garbled) {
  const std::size_t common = std::min(known.size() - position, hypothesis.size());
  std::size_t at = garbled;
  while (at < common && same(known[position + at], hypothesis[at])) {
    ++at;
  }
  const bool is_whole = at == common || (common < hypothesis.size() && at + kUnstable >= common);
  return is_whole && at > garbled ? at - garbled : 0;
}

struct Overlap {
  std::size_t position = 0;
  std::size_t words = 0;
};

// Returns the longest overlap after `from` with the end of `known`, or one without words. Of equal
// ones, it is the last.
Overlap overlap_of(const Words& known, const Hypothesis& hypothesis, std::size_t from) {
  const std::size_t shortest = from > 0 ? kMoved : kOverlap;
  const std::size_t first =
      std::max(from + 1, known.size() - std::min(known.size(), 2 * hypothesis.size()));
  Overlap best;
  for (std::size_t position = first; position < known.size(); ++position) {
    for (std::size_t garbled = 0; garbled <= kGarbled; ++garbled) {
      const std::size_t words = overlap_at(known, position, hypothesis, garbled);
      if (words >= std::max(best.words, garbled == 0 ? shortest : kGarbledOverlap)) {
        best = {position, words};
      }
    }
  }
  return best;
}

// Returns the words that both have in this order, at most: the longest common subsequence.
std::size_t common_words(const Words& known, std::size_t from, const Hypothesis& hypothesis) {
  const std::size_t columns = std::min(hypothesis.size(), kCompared);
  std::vector<std::size_t> counts(columns + 1);
  for (std::size_t row = from; row < std::min(known.size(), from + kCompared); ++row) {
    std::size_t diagonal = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t above = counts[column + 1];
      counts[column + 1] =
          same(known[row], hypothesis[column]) ? diagonal + 1 : std::max(above, counts[column]);
      diagonal = above;
    }
  }
  return counts.back();
}

// Returns whether the hypothesis is of later words than all known ones from `from` on. A correction
// leaves more of them.
bool is_later(const Words& known, std::size_t from, const Hypothesis& hypothesis) {
  const std::size_t settled = known.size() - from;
  return settled >= kSettled && hypothesis.size() >= kOverlap &&
         4 * common_words(known, from, hypothesis) <
             std::min({settled, hypothesis.size(), kCompared});
}

}  // namespace

std::size_t words_left_out(const Words& known, const Hypothesis& hypothesis, std::size_t from) {
  from = std::min(from, known.size());
  const std::size_t in_place = same_beginning(known, from, hypothesis);
  const std::size_t whole = same_beginning(known, 0, hypothesis);
  if (whole >= kInARow && whole >= in_place) {
    return 0;
  }
  if (in_place >= kInARow) {
    return from;
  }
  for (const std::size_t begin : {from, std::size_t{0}}) {
    if (const auto position = position_of(known, hypothesis, begin)) {
      return *position;
    }
  }
  const Overlap overlap = overlap_of(known, hypothesis, from);
  const bool is_whole = whole >= from && whole >= in_place;
  if (is_whole && whole >= overlap.words && whole + overlap.words >= kOverlap) {
    return 0;
  }
  if (overlap.words > in_place) {
    return overlap.position;
  }
  if (is_later(known, from, hypothesis)) {
    return known.size();
  }
  return is_whole ? 0 : from;
}

}  // namespace surtitle
