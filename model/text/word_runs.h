// Words that follow each other without a space, such as the characters of Chinese.
//
// They are encoded together, as a piece of a model may have several of them.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "model/text/tokenizer.h"

namespace surtitle {

inline constexpr std::size_t kMaxRun = 16;  // words

// Whether `next` may be in a run with the word before it: both are unspaced (model/text/unspaced.h)
// without a sign between them.
bool continues_run(std::string_view word, std::string_view next);

// Returns the number of words of the run at the beginning of `words`. REQUIRES: not empty.
template <class Words>
std::size_t run_length(const Words& words) {
  std::size_t length = 1;
  while (length < words.size() && length < kMaxRun &&
         continues_run(words[length - 1], words[length]))
    ++length;
  return length;
}

// Returns the tokens of each word of a run. A token with characters of several words is one of the
// last of them. Words may begin with a space (split_words_with_spaces()). `begins`: the run begins
// a sentence. Otherwise an unspaced run without a space has no mark of a word's begin.
std::vector<std::vector<int>> encode_run(const Tokenizer& tokenizer,
                                         std::span<const std::string_view> words, bool begins);

}  // namespace surtitle
