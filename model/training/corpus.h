// Parallel text as batches of token ids.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/text/tokenizer.h"
#include "model/training/recipe.h"

namespace surtitle {

// The texts of a recipe in memory.
//
// Thread-safety: immutable after construction.
class Corpus {
 public:
  // Throws std::runtime_error if a file cannot be read, is not UTF-8 (FILE:LINE), or has another
  // number of lines than its partner.
  explicit Corpus(std::span<const ParallelText> texts);

  using Receive = std::function<void(const std::string& source, const std::string& target)>;

  // Passes the examples of an epoch to `receive`, in the order of the texts. How often a line is
  // drawn, its form and the lines joined to it follow from `seed`, `epoch` and the line alone.
  void draw(std::uint64_t seed, std::uint64_t epoch, const Receive& receive) const;

 private:
  struct Text {
    ParallelText options;
    std::vector<std::string> sources;
    std::vector<std::string> targets;
  };
  static std::string in_form(const Text& text, double unit, const std::string& source);

  std::vector<Text> texts_;
};

// One example; the source ends with the end-of-sentence token, the target is without it.
struct TokenPair {
  std::vector<int> source;
  std::vector<int> target;
};

// Indices of examples that are trained on together.
using BatchIndex = std::vector<std::uint32_t>;

// The examples of an epoch, encoded word by word as the daemon does. Examples that are empty on a
// side, or longer than `max_tokens` on one, are left out.
std::vector<TokenPair> encode_epoch(const Corpus& corpus, const Tokenizer& tokenizer,
                                    int max_tokens, std::uint64_t seed, std::uint64_t epoch);

// The batches of one epoch: pairs of like length together, at most `batch_tokens` tokens a side
// with padding, in an order that depends on `seed` and `epoch` alone.
std::vector<BatchIndex> make_batches(std::span<const TokenPair> pairs, int batch_tokens,
                                     std::uint64_t seed, std::uint64_t epoch);

}  // namespace surtitle
