#include "model/engine/repetition_rule.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "model/text/unspaced.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

// Letters and digits, as far as tokens need it: what follows Latin-1's signs, but for the blocks of
// punctuation, symbols and pictures.
bool is_text(char32_t character) {
  if (character < 0x80)
    return (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
           (character >= 'a' && character <= 'z');
  if (character < 0xC0) return character == 0xAA || character == 0xB5 || character == 0xBA;
  if (character == 0xD7 || character == 0xF7) return false;
  return !(character >= 0x2000 && character < 0x2C00) &&
         !(character >= 0x3000 && character < 0x3040) &&
         !(character >= 0xFE00 && character < 0xFE70) && character < 0x1F000;
}

bool is_digit(char32_t character) { return character >= '0' && character <= '9'; }

bool begins_a_word(std::string_view piece) {
  return piece.starts_with(kWordBoundary) || begins_unspaced(piece);
}

// The length of the run at the end of `tokens` in which each token equals the one `period` before.
std::size_t run_length(std::span<const int> tokens, std::size_t period) {
  std::size_t length = 0;
  while (length + period < tokens.size() &&
         tokens[tokens.size() - 1 - length] == tokens[tokens.size() - 1 - length - period])
    ++length;
  return length;
}

}  // namespace

void BannedTokens::add(int token) noexcept {
  *std::find(tokens_.begin(), tokens_.end(), -1) = token;
}

void BannedTokens::mask(std::span<float> logits, int first) const noexcept {
  for (const int token : tokens_)
    if (token >= first && token - first < static_cast<int>(logits.size()))
      logits[static_cast<std::size_t>(token - first)] = -std::numeric_limits<float>::infinity();
}

RepetitionRule::RepetitionRule(const Tokenizers& tokenizers) {
  if (!tokenizers.source) return;
  source_ = kinds_of(*tokenizers.source);
  target_ = kinds_of(*tokenizers.target);
  for (int token = 0; token < tokenizers.source->vocabulary_size(); ++token)
    begins_word_.push_back(begins_a_word(tokenizers.source->piece(token)));
}

std::vector<RepetitionRule::Kind> RepetitionRule::kinds_of(const Tokenizer& tokenizer) {
  std::vector<Kind> kinds(static_cast<std::size_t>(tokenizer.vocabulary_size()), Kind::kSign);
  for (std::size_t token = kUnknown; token < kinds.size(); ++token) {
    const std::string_view piece = tokenizer.piece(static_cast<int>(token));
    if (byte_of(piece)) continue;  // mostly of signs that the vocabulary lacks
    bool word = false;
    bool letter = false;
    bool digit = false;
    for (std::string_view rest = piece; !rest.empty();) {
      const int length = first_character_length(rest);
      if (length <= 0) break;
      const std::string_view character = rest.substr(0, static_cast<std::size_t>(length));
      rest.remove_prefix(character.size());
      word |= character == kWordBoundary;
      digit |= is_digit(code_point(character));
      letter |= is_text(code_point(character)) && !is_digit(code_point(character));
    }
    if (piece == kWordBoundary) {
      kinds[token] = Kind::kWordMark;
    } else if (word && letter) {
      kinds[token] = Kind::kWordBegin;
    } else if (letter || digit || static_cast<int>(token) == kUnknown) {
      kinds[token] = Kind::kPart;
    }
  }
  return kinds;
}

bool RepetitionRule::blocks(std::span<const int> source, std::span<const int> target,
                            int token) const {
  if (target_.empty() || token == kEndOfSentence) return false;
  const auto kind = [](const std::vector<Kind>& kinds, int index) {
    return static_cast<std::size_t>(index) < kinds.size() ? kinds[static_cast<std::size_t>(index)]
                                                          : Kind::kSign;
  };
  if (kind(target_, token) == Kind::kSign) return false;
  std::vector<int> text;
  const auto collect = [&](const std::vector<Kind>& kinds, std::span<const int> tokens) {
    text.clear();
    for (const int one : tokens)
      if (kind(kinds, one) != Kind::kSign) text.push_back(one);
  };
  // How often the phrase of `period` tokens at the end of text[0, end) stands there in a row.
  const auto times = [&](const std::vector<Kind>& kinds, std::size_t end, std::size_t period) {
    const std::span<const int> all(text.data(), end);
    const std::size_t repeats = run_length(all, period) / period;
    const bool begins_word =
        repeats > 0 &&
        std::any_of(all.end() - static_cast<std::ptrdiff_t>(period), all.end(), [&](int one) {
          return kind(kinds, one) == Kind::kWordBegin || kind(kinds, one) == Kind::kWordMark;
        });
    return begins_word ? 1 + repeats : 1;
  };
  const auto most_times = [&](const std::vector<Kind>& kinds, std::size_t end) {
    std::size_t most = 1;
    for (std::size_t period = 1; period <= kMaxPhrase && 2 * period <= end; ++period)
      most = std::max(most, times(kinds, end, period));
    return most;
  };

  collect(target_, target);
  text.push_back(token);
  const std::size_t repeated = most_times(target_, text.size());
  if (repeated < 2) return false;
  collect(source_, source);
  std::size_t allowed = 1;
  for (std::size_t end = 2; end <= text.size(); ++end)
    allowed = std::max(allowed, most_times(source_, end));
  return repeated > allowed;
}

}  // namespace surtitle
