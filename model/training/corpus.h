// Parallel text as batches of token ids.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/text/tokenizer.h"
#include "model/training/recipe.h"

namespace surtitle {

// One sentence pair; the source ends with the end-of-sentence token, the target is without it.
struct TokenPair {
  std::vector<int> source;
  std::vector<int> target;
};

// Indices into a corpus that are trained on together.
using BatchIndex = std::vector<std::uint32_t>;

// Reads every text once. Throws std::runtime_error where a file cannot be read, is not UTF-8
// (FILE:LINE), or has another number of lines than its partner.
void check_texts(std::span<const ParallelText> texts);

// Encodes word by word, as the daemon does. Pairs that are empty on a side or longer than
// `max_tokens` on one are left out. Throws std::runtime_error as
// check_texts() does.
std::vector<TokenPair> load_corpus(std::span<const ParallelText> texts, const Tokenizer& tokenizer,
                                   int max_tokens);

// The batches of one epoch: pairs of like length together, at most `batch_tokens` tokens a side
// with padding, in an order that depends on `seed` and `epoch` alone.
std::vector<BatchIndex> make_batches(std::span<const TokenPair> corpus, int batch_tokens,
                                     std::uint64_t seed, std::uint64_t epoch);

}  // namespace surtitle
