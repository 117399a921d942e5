// A translation that is complete before its source is.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/engine/engine.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr int kMaxSource = 64;
constexpr int kEarly = 3;  // tokens before the first end of sentence

// Predicts kEarly tokens, and then end of sentence unless that is banned. After a banned one, it
// predicts two further tokens.
class EarlyInference final : public Inference {
 public:
  int slots() const override { return 1; }
  void open(int /*slot*/) override {}
  void close(int /*slot*/, int /*source*/, int /*target*/) override {}
  void encode(std::span<const SourceToken> /*tokens*/) override {}
  bool finds_peaks() const override { return true; }
  void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) override {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const DecoderStep& step = steps[i];
      const int visible = visible_at(step, 0);
      if (visible > step.encoded) {
        outcomes[i] = {.required_source = visible};
        continue;
      }
      const bool banned = step.banned.tokens().front() == kEndOfSentence;
      const bool ends = step.target_index >= kEarly && (step.target_index - kEarly) % 3 == 0;
      outcomes[i] = {.token = ends && !banned ? kEndOfSentence : 4 + step.target_index,
                     .visible = visible,
                     .peak = 0};
    }
  }
};

struct Token {
  int token;
  int read;
  bool operator==(const Token&) const = default;
};

PackageDescription description() {
  PackageDescription made;
  made.name = "early";
  made.policies = {"wait-k", "alignatt"};
  return made;
}

// Returns the writes before the end of the source, which has `words` of one token each, read
// `at_once` at a time. The translation begins with the tokens `forced`.
std::vector<Token> stream(const std::string& policy, int words, int at_once,
                          const Tokenizers& tokenizers, std::vector<int> forced = {}) {
  Engine engine(description(), {.max_sentences = 1, .max_source_tokens = kMaxSource},
                std::make_unique<EarlyInference>(), tokenizers);
  const SentenceId id = *engine.open(make_policy(policy));
  if (!forced.empty()) engine.force(id, std::move(forced));
  std::vector<Write> writes;
  for (int read = 0; read < words; read += at_once) {
    engine.read(id, std::vector<int>(static_cast<std::size_t>(std::min(at_once, words - read)), 4));
    while (engine.tick(writes)) {
    }
  }
  std::vector<Token> tokens;
  for (const Write& write : writes) tokens.push_back({write.token, write.read});
  return tokens;
}

// Every piece is a word.
class LetterTokenizer final : public Tokenizer {
 public:
  std::vector<int> encode_word(std::string_view /*word*/) const override { return {}; }
  std::string_view piece(int token) const override { return token < 4 ? "" : "\u2581a"; }
  int vocabulary_size() const override { return 2 * kMaxSource; }
};

class Stall : public testing::TestWithParam<const char*> {
 protected:
  static Tokenizers words() { return Tokenizers(std::make_shared<LetterTokenizer>()); }
};

TEST_P(Stall, EndsAfterItsLimitAndNotBefore) {
  const int last = stream(GetParam(), kEarly + 1, 1, words()).back().read;
  EXPECT_EQ(stream(GetParam(), last + kMaxStall, 1, words()).size(), kEarly);
  const auto after = stream(GetParam(), last + kMaxStall + 1, 1, words());
  ASSERT_GT(after.size(), kEarly);
  EXPECT_EQ(after[kEarly].token, 4 + kEarly);
  EXPECT_EQ(after[kEarly].read, last + kMaxStall + 1);
}

TEST_P(Stall, EndsAtTheSameWordHoweverTheWordsArrive) {
  const auto expected = stream(GetParam(), kMaxSource, 1, words());
  for (const int at_once : {2, 7, kMaxSource})
    EXPECT_EQ(stream(GetParam(), kMaxSource, at_once, words()), expected) << at_once;
}

TEST_P(Stall, EndsAtTheSameWordOnAnotherTranslatorThatContinues) {
  const auto expected = stream(GetParam(), kMaxSource, 1, words());
  ASSERT_GT(expected.size(), kEarly + 1);
  for (std::size_t given = 1; given < expected.size(); ++given) {
    std::vector<int> forced;
    for (std::size_t i = 0; i < given; ++i) forced.push_back(expected[i].token);
    const std::vector<Token> rest(expected.begin() + static_cast<std::ptrdiff_t>(given),
                                  expected.end());
    EXPECT_EQ(stream(GetParam(), kMaxSource, 1, words(), forced), rest) << given;
  }
}

TEST_P(Stall, LastsUntilTheEndOfTheSourceInAModelOfTokenIds) {
  EXPECT_EQ(stream(GetParam(), kMaxSource, 1, {}).size(), kEarly);
}

INSTANTIATE_TEST_SUITE_P(, Stall, testing::Values("wait-k:k=1", "alignatt:f=1"));

}  // namespace
}  // namespace surtitle
