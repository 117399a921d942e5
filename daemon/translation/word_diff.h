// Aligns a hypothesis with the committed words (`standing`) and finds the changes.
//
// The alignment has the fewest words changed, deleted and inserted. So one word more or less at the
// beginning does not look like a change of all words after it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// A run of standing words that are different in the hypothesis.
struct WordChange {
  std::size_t first = 0;             // index of the first standing word
  std::size_t count = 0;             // standing words, 1 or more
  std::size_t hypothesis_first = 0;  // index of the hypothesis' first word in their place
  std::size_t hypothesis_count = 0;  // its words in their place; 0: they are deleted

  bool operator==(const WordChange&) const = default;
};

struct WordComparison {
  std::vector<WordChange> changes;  // in order
  std::size_t covered = 0;          // words of the hypothesis that correspond to the standing ones
};

// Compares the words. Shifts of more than 16 words are not found, which bounds the cost: one step
// for each standing word and shift. Words that the hypothesis inserts between two standing words
// count as a change of the second one. Thread-safety: may be called from any thread.
WordComparison compare_words(const std::vector<std::string>& standing,
                             const std::vector<std::string_view>& hypothesis);

}  // namespace surtitle
