// Sentence pairs that are forced through a model.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "daemon/evaluation/evaluation.h"
#include "model/analysis/teacher_forcing.h"
#include "model/text/tokenizer.h"

namespace surtitle {

// Sentences whose attention is in memory at the same time.
inline constexpr std::size_t kForcedAtOnce = 32;

struct TokenizedPair {
  TokenizedText source;
  TokenizedText target;
};

// Throws std::runtime_error, "line N: the source has ...", if there are more tokens than a
// translator allows in a sentence.
std::vector<TokenizedPair> tokenize_pairs(const Tokenizers& tokenizers, const TestSet& texts);

// Returns the word of each token, and -1 for the end of sentence.
std::vector<int> words_of_tokens(const TokenizedText& text);

// `threads`: 0: one for each processor.
TeacherForcing::Options forcing_options(const std::vector<TokenizedPair>& pairs, int threads);

}  // namespace surtitle
