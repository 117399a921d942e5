// Blocks loops: a translation must not repeat a phrase more often than its source does.
//
// A phrase is one to kMaxPhrase tokens of which one begins a word; signs without letters and digits
// do not count. "A rubble of a rubble of" is blocked at its last token unless the visible source,
// too, has some phrase twice in a row ("sehr sehr", "Nein, nein"). The rule depends on the visible
// source and on the target so far alone, so results stay independent of timing and batch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/text/tokenizer.h"

namespace surtitle {

inline constexpr int kMaxPhrase = 24;  // tokens

// Tokens that a decoder step must not choose. Unused places hold -1.
class BannedTokens {
 public:
  static constexpr std::size_t kCapacity = 4;

  bool full() const noexcept { return tokens_.back() >= 0; }
  // REQUIRES: not full.
  void add(int token) noexcept;
  const std::array<int, kCapacity>& tokens() const noexcept { return tokens_; }

  // Sets the logits of the banned tokens to minus infinity. `first` is the token of logits[0].
  void mask(std::span<float> logits, int first) const noexcept;

 private:
  std::array<int, kCapacity> tokens_{-1, -1, -1, -1};
};

// Thread-safety: immutable after construction.
class RepetitionRule {
 public:
  // Blocks nothing: for a model of token ids only.
  RepetitionRule() = default;
  explicit RepetitionRule(const Tokenizers& tokenizers);

  // Whether `token`, appended to `target`, would repeat a phrase more often than `source` repeats
  // one.
  bool blocks(std::span<const int> source, std::span<const int> target, int token) const;

  // Whether a source token begins a word; in a model of token ids only, every token does.
  bool begins_word(int source_token) const {
    return !knows_tokens() || begins_word_[static_cast<std::size_t>(source_token)];
  }

  // False for a model of token ids only.
  bool knows_tokens() const { return !source_.empty(); }

  // Whether a source token has a letter or a digit. REQUIRES: knows_tokens().
  bool has_text(int source_token) const {
    const Kind kind = source_[static_cast<std::size_t>(source_token)];
    return kind == Kind::kPart || kind == Kind::kWordBegin;
  }

 private:
  // A word begins with kWordBegin, or with kWordMark if the vocabulary lacks its first piece.
  enum class Kind : std::uint8_t { kSign, kPart, kWordBegin, kWordMark };
  static std::vector<Kind> kinds_of(const Tokenizer& tokenizer);

  std::vector<Kind> source_;  // by token
  std::vector<Kind> target_;
  std::vector<bool> begins_word_;  // by source token
};

}  // namespace surtitle
