// Parallel text and its batches of token ids.
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

// Whether a word of spoken text begins a sentence, for the classifier `sentence_starts`
// (model/package/config.h). A word without a label is of unknown kind.
struct SentenceStart {
  std::int64_t index = 0;  // of the word, or of its last token; from 0
  bool starts = false;
  bool operator==(const SentenceStart&) const = default;
};

// The texts of a recipe in memory.
//
// Thread-safety: immutable after construction.
class Corpus {
 public:
  // Throws std::runtime_error if a file cannot be read, is not UTF-8 (FILE:LINE), or has a
  // different number of lines than its partner.
  explicit Corpus(std::span<const ParallelText> texts);

  struct Example {
    std::string source;
    std::string target;
    // Labels by word; empty unless the source is spoken text of more than one sentence. The first
    // word has no label. Words after the last start have none either, because the example does not
    // have the end of their sentence.
    std::vector<SentenceStart> starts;
  };
  using Receive = std::function<void(const Example& example)>;

  // Passes the examples of an epoch to `receive`, in the order of the texts. `seed`, `epoch` and
  // the line alone determine how often a line is drawn, its form and the lines joined to it.
  void draw(std::uint64_t seed, std::uint64_t epoch, const Receive& receive) const;

 private:
  struct Text {
    ParallelText options;
    std::vector<std::string> sources;
    std::vector<std::string> targets;
  };
  static TextForm draw_form(const Text& text, double unit);

  std::vector<Text> texts_;
};

// One example. The source ends with the end-of-sentence token; the target has none.
struct TokenPair {
  std::vector<int> source;
  std::vector<int> target;
  std::vector<SentenceStart> starts;  // by the last token of a word
  int source_words = 0;
};

// Indices of the examples of one batch.
using BatchIndex = std::vector<std::uint32_t>;

// Returns the examples of an epoch, encoded word by word as in the daemon. An example is omitted if
// a side is empty or longer than `max_tokens`.
std::vector<TokenPair> encode_epoch(const Corpus& corpus, const Tokenizers& tokenizers,
                                    int max_tokens, std::uint64_t seed, std::uint64_t epoch);

// Returns PackageDescription::trained_words of these examples. REQUIRES: there are some.
int trained_words(std::span<const TokenPair> pairs);

// Returns the batches of one epoch: pairs of similar length, at most `batch_tokens` tokens a side
// with padding. Their order depends on `seed` and `epoch` alone.
std::vector<BatchIndex> make_batches(std::span<const TokenPair> pairs, int batch_tokens,
                                     std::uint64_t seed, std::uint64_t epoch);

}  // namespace surtitle
