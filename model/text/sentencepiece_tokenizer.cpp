// load_tokenizer(): a Tokenizer over the sentencepiece module.
#include <stdexcept>
#include <utility>

#include "model/text/sentencepiece_loader.h"
#include "model/text/tokenizer.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

namespace module = sentencepiece_module;
using std::filesystem::path;

class SentencepieceTokenizer : public Tokenizer {
 public:
  explicit SentencepieceTokenizer(SentencepieceModel model) : model_(std::move(model)) {}

  std::vector<int> encode_word(std::string_view word) const override {
    // A piece is rarely shorter than a byte. If normalisation made the word longer, the second
    // round has a larger buffer.
    std::vector<int> tokens(word.size() + 4);
    while (true) {
      const std::ptrdiff_t count =
          functions_.encode(model_.get(), {word.data(), word.size()}, tokens.data(), tokens.size());
      if (count < 0) throw std::runtime_error("sentencepiece cannot encode a word");
      const bool complete = static_cast<std::size_t>(count) <= tokens.size();
      tokens.resize(static_cast<std::size_t>(count));
      if (complete) return without_unknown(std::move(tokens));
    }
  }

  std::string_view piece(int token) const override {
    if (token < 0 || token >= vocabulary_size()) return {};
    const module::Bytes text = functions_.piece(model_.get(), token);
    return {text.data, text.size};
  }

  int vocabulary_size() const override { return functions_.size(model_.get()); }

 private:
  // Removes characters that the vocabulary lacks, and the begin of a word that consists only of
  // them.
  std::vector<int> without_unknown(std::vector<int> tokens) const {
    if (std::erase(tokens, kUnknown) == 0) return tokens;
    std::vector<int> kept;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool word_ends =
          i + 1 == tokens.size() || piece(tokens[i + 1]).starts_with(kWordBoundary);
      if (!word_ends || piece(tokens[i]) != kWordBoundary) kept.push_back(tokens[i]);
    }
    return kept;
  }

  const module::Functions& functions_ = sentencepiece_functions();
  SentencepieceModel model_;
};

void check_pieces(const Tokenizer& tokenizer, const path& file) {
  for (const int token : {kBeginOfSentence, kPadding, kEndOfSentence}) {
    if (!tokenizer.piece(token).empty()) {
      throw std::runtime_error(
          file.string() + ": token " + std::to_string(token) +
          " is a piece of text, expected a special token (0 begin of sentence, "
          "1 padding, 2 end of sentence, 3 unknown)");
    }
  }
  if (tokenizer.piece(kUnknown) != "\u2581\u2047") {
    throw std::runtime_error(file.string() + ": token 3 is not the unknown token");
  }
  for (int token = 0; token < tokenizer.vocabulary_size(); ++token) {
    if (!is_valid_utf8(tokenizer.piece(token))) {
      throw std::runtime_error(file.string() + ": the piece of token " + std::to_string(token) +
                               " is not UTF-8");
    }
  }
}

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer(const path& file) {
  auto tokenizer = std::make_shared<SentencepieceTokenizer>(open_sentencepiece_model(file));
  check_pieces(*tokenizer, file);
  return tokenizer;
}

}  // namespace surtitle
