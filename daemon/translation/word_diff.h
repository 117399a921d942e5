// How a hypothesis differs from words that stand.
//
// Both are aligned by the fewest words changed, left out and put in, so that one word more or less
// at the beginning does not look like a change of all that follow.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// A stretch of standing words that the hypothesis has otherwise.
struct WordChange {
  std::size_t first = 0;  // standing word
  std::size_t count = 0;  // of standing words, 1 or more
  std::size_t heard_first = 0;
  std::size_t heard_count = 0;  // words in their place; 0: they are gone

  bool operator==(const WordChange&) const = default;
};

struct WordComparison {
  std::vector<WordChange> changes;  // in order
  std::size_t covered = 0;          // words of the hypothesis that the standing ones stand for
};

// A shift of more than 16 words is not found, so the cost is bounded: a step for each standing word
// and shift. Words that the hypothesis puts between two standing ones count as a change of the
// second. Pure.
WordComparison compare_words(const std::vector<std::string>& standing,
                             const std::vector<std::string_view>& heard);

}  // namespace surtitle
