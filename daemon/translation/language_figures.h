// The rules of each language for find_figures().
// REQUIRES: the first word has a letter or digit.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/translation/figures.h"
#include "daemon/translation/word_core.h"

namespace surtitle {

constexpr int kNoon = 12;
constexpr int kHundred = 100;
constexpr int kThousand = 1000;

// Models translate numbers up to 100, whole hundreds and whole thousands in words well.
constexpr bool is_hard_cardinal(int value) {
  const int round = value < kThousand ? kHundred : kThousand;
  return value > round && value % round != 0;
}

// The words before a number in lower case, unless signs separate them. "": there is none.
struct PreviousWords {
  std::string last;
  std::string earlier;  // before `last`
};

// Whether the word at this position, which is not the first, follows the one before it without
// signs.
inline bool follows(std::span<const Core> words, std::size_t at) {
  return at < words.size() && words[at].before.empty() && words[at - 1].after.empty();
}

struct Numeral {
  std::string_view word;
  int value;
};

template <class Numerals>
std::optional<int> value_in(const Numerals& numerals, std::string_view word) {
  const auto found = std::find_if(numerals.begin(), numerals.end(),
                                  [&](const Numeral& one) { return one.word == word; });
  return found == numerals.end() ? std::nullopt : std::optional(found->value);
}

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Figures> find_german_figures(std::span<const Core> words,
                                           const PreviousWords& previous, bool to_english);
bool may_continue_german_figures(std::span<const Core> words);

std::optional<Figures> find_english_figures(std::span<const Core> words,
                                            const PreviousWords& previous, bool to_english,
                                            bool ends);
bool may_continue_english_figures(std::span<const Core> words);

}  // namespace surtitle
