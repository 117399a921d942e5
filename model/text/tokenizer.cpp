#include "model/text/tokenizer.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "model/text/dictionary.h"
#include "model/text/piece_list.h"
#include "model/text/unspaced.h"
#include "model/text/word_runs.h"
#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

// REQUIRES: one complete character.
bool separates_words(std::string_view character) {
  const char32_t code = code_point(character);
  return character == kWordBoundary || is_white_space(code) || code < 0x20 || code == 0x7F;
}

}  // namespace

std::optional<char> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  unsigned value = 0;
  const char* end = piece.data() + 5;
  const auto result = std::from_chars(piece.data() + 3, end, value, /*base=*/16);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return static_cast<char>(value);
}

std::optional<int> find_piece(const Tokenizer& tokenizer, std::string_view piece) {
  for (int token = 0; token < tokenizer.vocabulary_size(); ++token) {
    if (tokenizer.piece(token) == piece) return token;
  }
  return std::nullopt;
}

Detokenizer::Detokenizer(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)) {}

std::string Detokenizer::write(int token) {
  std::string_view piece = tokenizer_->piece(token);
  std::string delta;
  if (piece.empty()) return delta;
  if (const std::optional<char> byte = byte_of(piece)) {
    held_bytes_.push_back(*byte);
    release_held(delta);
    return delta;
  }
  give_up_held(delta);
  while (!piece.empty()) {
    const auto length = static_cast<std::size_t>(std::max(first_character_length(piece), 1));
    const std::string_view character = piece.substr(0, length);
    append(is_valid_utf8(character) ? character : kReplacement, delta);
    piece.remove_prefix(length);
  }
  return delta;
}

std::string Detokenizer::finish() {
  std::string delta;
  give_up_held(delta);
  at_start_ = true;
  space_due_ = false;
  return delta;
}

void Detokenizer::append(std::string_view character, std::string& delta) {
  if (separates_words(character)) {
    space_due_ = true;
    return;
  }
  if (space_due_ && !at_start_) delta += ' ';
  space_due_ = false;
  at_start_ = false;
  delta += character;
}

void Detokenizer::release_held(std::string& delta) {
  while (!held_bytes_.empty()) {
    int length = first_character_length(held_bytes_);
    if (length == 0) return;
    if (length < 0) {
      // The bytes before the last one can no longer become a character; the last byte may begin
      // one.
      append(kReplacement, delta);
      length = held_bytes_.size() > 1 ? static_cast<int>(held_bytes_.size()) - 1 : 1;
    } else {
      append(held_bytes_, delta);
    }
    held_bytes_.erase(0, static_cast<std::size_t>(length));
  }
}

void Detokenizer::give_up_held(std::string& delta) {
  if (held_bytes_.empty()) return;
  held_bytes_.clear();
  append(kReplacement, delta);
}

TokenizedText tokenize(const Tokenizer& tokenizer, std::string_view text) {
  TokenizedText all;
  const std::vector<std::string> read = split_words_with_spaces(text);
  const std::vector<std::string_view> words(read.begin(), read.end());
  bool continues = false;
  for (std::span<const std::string_view> rest(words); !rest.empty();) {
    const auto run = rest.first(run_length(rest));
    const auto tokens = encode_run(tokenizer, run, /*begins=*/rest.size() == words.size());
    for (std::size_t i = 0; i < run.size(); ++i) {
      all.tokens.insert(all.tokens.end(), tokens[i].begin(), tokens[i].end());
      if (!continues) all.word_tokens.push_back(0);
      all.word_tokens.back() += static_cast<int>(tokens[i].size());
      continues = tokenizer.continues_word(run[i]);
    }
    rest = rest.subspan(run.size());
  }
  return all;
}

Tokenizers load_tokenizers(const std::filesystem::path& folder, const TokenizerFiles& files) {
  switch (files.type) {
    case TokenizerFiles::Type::kNone:
      break;
    case TokenizerFiles::Type::kSentencepiece:
      return Tokenizers(load_tokenizer(folder / files.source));
    case TokenizerFiles::Type::kDictionary:
      return {load_dictionary(folder / files.source), load_dictionary(folder / files.target)};
    case TokenizerFiles::Type::kPieceList:
      return {load_piece_list(folder / files.source, folder / files.source_pieces),
              load_piece_list(folder / files.target, folder / files.target_pieces)};
  }
  return {};
}

}  // namespace surtitle
