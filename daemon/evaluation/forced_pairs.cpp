#include "daemon/evaluation/forced_pairs.h"

#include <algorithm>
#include <string>

#include "daemon/evaluation/text_model.h"
#include "model/util/processors.h"

namespace surtitle {

std::vector<TokenizedPair> tokenize_pairs(const Tokenizers& tokenizers, const TestSet& texts) {
  std::vector<TokenizedPair> pairs;
  for (std::size_t i = 0; i < texts.sources.size(); ++i) {
    const std::string line = "line " + std::to_string(i + 1) + ": the ";
    pairs.push_back(
        {tokenize_sentence(*tokenizers.source, texts.sources[i], line + "source"),
         tokenize_sentence(*tokenizers.target, texts.references[i], line + "reference")});
  }
  return pairs;
}

std::vector<int> words_of_tokens(const TokenizedText& text) {
  std::vector<int> words;
  for (std::size_t word = 0; word < text.word_tokens.size(); ++word) {
    words.insert(words.end(), static_cast<std::size_t>(text.word_tokens[word]),
                 static_cast<int>(word));
  }
  words.push_back(-1);
  return words;
}

TeacherForcing::Options forcing_options(const std::vector<TokenizedPair>& pairs, int threads) {
  TeacherForcing::Options options;
  options.threads = thread_count(threads);
  options.sentences = static_cast<int>(std::min(kForcedAtOnce, pairs.size()));
  for (const TokenizedPair& pair : pairs) {
    options.source_tokens =
        std::max(options.source_tokens, static_cast<int>(pair.source.tokens.size()));
    options.target_tokens =
        std::max(options.target_tokens, static_cast<int>(pair.target.tokens.size()));
  }
  return options;
}

}  // namespace surtitle
