// Finds the words that two overlapping texts have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace surtitle {

// Returns the number of words at the beginning of `next` that are also the last words of `last`.
// Ignores case and punctuation. Thread-safety: may be called from any thread.
std::size_t repeated_words(const std::vector<std::string>& last,
                           const std::vector<std::string>& next);

}  // namespace surtitle
