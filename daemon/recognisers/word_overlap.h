// Finds what two overlapping texts have in common.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns the letters and digits of the word, with ASCII letters in lower case.
std::string bare_word(std::string_view word);

std::vector<std::string> bare_words(std::string_view text);

// Returns how many of the first four words of `next` are in `last` at their place or beside it.
// REQUIRES: bare words.
std::size_t common_first_words(const std::vector<std::string>& last,
                               const std::vector<std::string>& next);

// Returns whether `next` may be `last`, drawn again. It has one of the first words of `last`, or
// its first word begins in the same way. Two numbers count as the same, because progress displays
// change them.
bool begins_alike(std::string_view last, std::string_view next);

// Returns the number of words at the beginning of `next` that are also the last words of `last`.
// Ignores case and punctuation.
std::size_t repeated_words(const std::vector<std::string>& last,
                           const std::vector<std::string>& next);

// Returns the number of bytes at the beginning of `next` that are also the last bytes of `last`.
// Costs O(last + next).
std::size_t repeated_bytes(std::string_view last, std::string_view next);

}  // namespace surtitle
