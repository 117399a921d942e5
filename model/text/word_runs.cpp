#include "model/text/word_runs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/text/unspaced.h"

namespace surtitle {
namespace {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::vector<int> encode(const Tokenizer& tokenizer, std::string_view text, bool begins) {
  const bool after_space = text.starts_with(' ');
  if (after_space) text.remove_prefix(1);
  std::vector<int> tokens = tokenizer.encode_word(text);
  const bool marked = tokens.size() > 1 && tokenizer.piece(tokens.front()) == kWordBoundary;
  if (marked && !begins && !after_space && begins_unspaced(text)) tokens.erase(tokens.begin());
  return tokens;
}

// Returns nullopt if the tokens do not have the characters of the words one by one: some are bytes,
// unknown, or changed by normalisation.
std::optional<std::vector<std::vector<int>>> divide(const Tokenizer& tokenizer,
                                                    const std::vector<int>& tokens,
                                                    std::span<const std::string_view> words) {
  std::vector<std::vector<int>> divided(words.size());
  std::size_t word = 0;
  // The mark before the first word is no character.
  std::size_t end = characters(words.front()) - (words.front().starts_with(' ') ? 1 : 0);
  std::size_t at = 0;
  for (const int token : tokens) {
    std::string_view piece = tokenizer.piece(token);
    if (byte_of(piece) || token == kUnknown) return std::nullopt;
    if (at == 0 && piece.starts_with(kWordBoundary)) piece.remove_prefix(kWordBoundary.size());
    at += characters(piece);
    while (at > end) {
      if (++word == words.size()) return std::nullopt;
      end += characters(words[word]);
    }
    divided[word].push_back(token);
  }
  while (++word < words.size()) end += characters(words[word]);
  return at == end ? std::optional(std::move(divided)) : std::nullopt;
}

}  // namespace

bool continues_run(std::string_view word, std::string_view next) {
  return ends_unspaced(word) && begins_unspaced(next) && !ends_with_sign(word);
}

std::vector<std::vector<int>> encode_run(const Tokenizer& tokenizer,
                                         std::span<const std::string_view> words, bool begins) {
  if (words.size() > 1) {
    std::string text;
    for (const std::string_view word : words) text += word;
    if (auto divided = divide(tokenizer, encode(tokenizer, text, begins), words)) return *divided;
  }
  std::vector<std::vector<int>> tokens;
  for (const std::string_view word : words)
    tokens.push_back(encode(tokenizer, word, std::exchange(begins, false)));
  return tokens;
}

}  // namespace surtitle
