// How the rows of a tick are divided among the threads of an Inference.
//
// Thread-safety: functions without state.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/engine/inference.h"

namespace surtitle {

// Returns the number of shares for `rows` on up to `workers` threads: at least one, and no share is
// smaller than a tile of a matrix.
int shares_for(std::size_t rows, int workers);

// Returns the index at which share `index` of `shares` begins among `count` items.
std::size_t share_begin(std::size_t count, int index, int shares);

// Adjacent tokens [begin, end) of one sentence, which one thread computes.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

// Returns the range of each sentence. It is not divided, because a token attends to those before
// it. REQUIRES: that the tokens of a sentence are adjacent.
std::vector<TokenRange> sentences_of(std::span<const SourceToken> tokens);

// Returns the ranges of each share, so that all shares have about as many tokens: from the longest
// to the shortest, each range goes to the smallest share.
std::vector<std::vector<TokenRange>> divide(std::vector<TokenRange> ranges, int shares);

}  // namespace surtitle
