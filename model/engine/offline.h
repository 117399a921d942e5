// Translates a list of sentences with one or several Translators.
//
// `surtitle evaluate` and training's dev scores use it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/engine/translator.h"
#include "model/text/tokenizer.h"

namespace surtitle {

// A translated sentence and the delay of each of its units.
struct OfflineTranslation {
  std::string text;
  std::vector<int> tokens;  // target token ids, without end of sentence
  // g(i) of each target token and, last, of the end of sentence, in source tokens. The source's end
  // of sentence is one more source token: the largest value is source_tokens + 1.
  std::vector<int> reads;
  // Source words read when the last token of each target word was written.
  std::vector<int> word_delays;
  int source_tokens = 0;  // without end of sentence
  int source_words = 0;
};

// Translates `sources` under `policy` and returns the translations in the order of `sources`. Each
// of `translators` (at least one, of the same model) works on its own thread, the first one on the
// caller's. Each opens the longest sentences that are left, at most ModelInfo::max_sentences at a
// time. `progress` (may be empty) receives the number of finished sentences, from any of these
// threads, one at a time. A sentence without tokens has an empty translation.
//
// Throws std::runtime_error naming the line (from 1), before any translation, if a sentence is not
// UTF-8 or exceeds the model's limit. Thread-safety: no other thread may use the translators.
std::vector<OfflineTranslation> translate_offline(
    std::span<const std::unique_ptr<Translator>> translators, const Tokenizers& tokenizers,
    std::span<const std::string> sources, const PolicyPtr& policy,
    const std::function<void(std::size_t)>& progress = {});

}  // namespace surtitle
