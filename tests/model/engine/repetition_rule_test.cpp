#include "model/engine/repetition_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "model/text/words.h"
#include "policies/registry.h"
#include "tests/model/support/cpu_engine.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/streaming.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

constexpr int kPieces = 40;

// Pieces that are given: a word's begin has the mark in front.
class ListTokenizer final : public Tokenizer {
 public:
  explicit ListTokenizer(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

  std::vector<int> encode_word(std::string_view /*word*/) const override { return {}; }
  std::string_view piece(int token) const override {
    return token < 4 ? "" : std::string_view(pieces_[static_cast<std::size_t>(token - 4)]);
  }
  int vocabulary_size() const override { return static_cast<int>(pieces_.size()) + 4; }

  int id(const std::string& piece) const {
    const auto at = std::find(pieces_.begin(), pieces_.end(), piece);
    EXPECT_NE(at, pieces_.end()) << piece;
    return static_cast<int>(at - pieces_.begin()) + 4;
  }

 private:
  std::vector<std::string> pieces_;
};

class RepetitionRuleTest : public testing::Test {
 protected:
  // Tokens that stand one space apart, "_" for the word's mark.
  std::vector<int> tokens(std::string text) const {
    std::vector<int> ids;
    for (const std::string_view piece : split_words(text)) {
      std::string spelt(piece);
      if (spelt.starts_with('_')) spelt.replace(0, 1, "\u2581");
      ids.push_back(tokenizer_->id(spelt));
    }
    return ids;
  }

  bool blocks(const std::string& source, const std::string& target,
              const std::string& token) const {
    return rule_.blocks(tokens(source), tokens(target), tokens(token).front());
  }

  const std::shared_ptr<const ListTokenizer> tokenizer_ =
      std::make_shared<ListTokenizer>(std::vector<std::string>{"\u2581a",    "\u2581rubble",
                                                               "\u2581of",   "\u2581no",
                                                               ",",          ".",
                                                               "\u2581more", "\u2581and",
                                                               "\u2581sehr", "\u2581ein",
                                                               "na",         "\u2581ba",
                                                               "\u2581",     "0",
                                                               "\u25811",    "\u2581children",
                                                               "\u25812",    "\u2581nein",
                                                               "tag",        "\u2581Bundes",
                                                               "<0xE2>"});
  const RepetitionRule rule_{Tokenizers(tokenizer_)};
};

TEST_F(RepetitionRuleTest, BlocksTheTokenThatCompletesARepetition) {
  EXPECT_FALSE(blocks("_ein", "_a _rubble _of", "_a"));
  EXPECT_FALSE(blocks("_ein", "_a _rubble _of _a", "_rubble"));
  EXPECT_TRUE(blocks("_ein", "_a _rubble _of _a _rubble", "_of"));
  EXPECT_TRUE(blocks("_ein", "_no", "_no"));
  EXPECT_TRUE(blocks("_ein", "_Bundes tag _Bundes", "tag"));
}

TEST_F(RepetitionRuleTest, SignsDoNotHideARepetitionAndAreNeverBlocked) {
  EXPECT_TRUE(blocks("_ein", "_no ,", "_no"));
  EXPECT_FALSE(blocks("_ein", "_no . .", "."));
}

TEST_F(RepetitionRuleTest, AllowsAsManyAsTheSourceHas) {
  EXPECT_FALSE(blocks("_nein , _nein", "_no ,", "_no"));
  EXPECT_TRUE(blocks("_nein , _nein", "_no , _no ,", "_no"));
  EXPECT_FALSE(blocks("_sehr _sehr _sehr", "_a _rubble _a _rubble _a", "_rubble"));
}

TEST_F(RepetitionRuleTest, AllowsWhatIsNoPhraseTwice) {
  EXPECT_FALSE(blocks("_ein", "_more _and", "_more"));             // "immer mehr"
  EXPECT_FALSE(blocks("_ein", "_ba na", "na"));                    // inside a word
  EXPECT_FALSE(blocks("_ein", "_1 0 0 0 0 0", "0"));               // a number
  EXPECT_FALSE(blocks("_ein", "_1 _children , _2", "_children"));  // a new count
}

TEST_F(RepetitionRuleTest, KnowsWordsThatBeginWithAMarkAlone) {
  EXPECT_TRUE(blocks("_ein", "_ na _", "na"));
}

TEST_F(RepetitionRuleTest, BlocksNothingForAModelOfTokenIds) {
  const RepetitionRule rule;
  EXPECT_FALSE(rule.knows_tokens());
  EXPECT_FALSE(rule.blocks(std::vector{5}, std::vector{7, 7, 7}, 7));
}

TEST_F(RepetitionRuleTest, SourceTextHasALetterOrADigit) {
  EXPECT_TRUE(rule_.has_text(tokens("_sehr").front()));
  EXPECT_TRUE(rule_.has_text(tokens("0").front()));
  EXPECT_FALSE(rule_.has_text(tokens(".").front()));
  EXPECT_FALSE(rule_.has_text(tokens("_").front()));       // "." may be a mark and a sign
  EXPECT_FALSE(rule_.has_text(tokens("<0xE2>").front()));  // and an ellipsis three bytes
}

// Models of random weights repeat themselves all the time.
class EngineRepetition : public RepetitionRuleTest {
 protected:
  EngineRepetition() {
    std::vector<std::string> pieces;
    for (int piece = 4; piece < kPieces; ++piece)
      pieces.push_back(piece < 34 ? "\u2581w" + std::to_string(piece) + "x" : std::string(1, '.'));
    words_ = std::make_shared<ListTokenizer>(pieces);
  }

  std::unique_ptr<Engine> make_engine(bool guarded) const {
    return cpu_engine(package_, 4, 24, Precision::kFloat32,
                      guarded ? Tokenizers(words_) : Tokenizers());
  }

  std::vector<Streamed> translate(bool guarded, const std::string& policy, std::size_t at_once) {
    const auto engine = make_engine(guarded);
    return stream(*engine, sources_, make_policy(policy), at_once, random_);
  }

  static bool has_word_twice_in_a_row(const std::vector<Streamed>& sentences) {
    return std::any_of(sentences.begin(), sentences.end(), [](const Streamed& sentence) {
      return std::adjacent_find(sentence.target.begin(), sentence.target.end(), [](auto a, auto b) {
               return a == b && a < 34;
             }) != sentence.target.end();
    });
  }

  std::mt19937 random_{5};
  TemporaryFolder folder_;
  const Package package_ = random_package({.d_model = 32,
                                           .ffn = 48,
                                           .encoder_layers = 1,
                                           .source_vocabulary = kPieces,
                                           .target_vocabulary = kPieces,
                                           .tied_output = false},
                                          folder_.path());
  std::shared_ptr<const ListTokenizer> words_;
  // No source repeats itself: tokens rise.
  const std::vector<std::vector<int>> sources_{{4, 8, 9, 12, 20},
                                               {5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
                                               {30, 31, 33},
                                               {4, 5},
                                               {16, 17, 18, 25}};
};

TEST_F(EngineRepetition, TranslationsHaveNoLoopsAndDoNotDependOnTheBatch) {
  for (const char* policy : {"full-sentence", "wait-k:k=2", "gma:delta=1", "local-agreement"}) {
    SCOPED_TRACE(policy);
    EXPECT_TRUE(has_word_twice_in_a_row(translate(false, policy, 1)));
    const auto guarded = translate(true, policy, 1);
    EXPECT_FALSE(has_word_twice_in_a_row(guarded));
    EXPECT_EQ(translate(true, policy, 4), guarded);
  }
}

TEST_F(EngineRepetition, ForcedTokensStandAndTheRestFollows) {
  const auto whole = translate(true, "full-sentence", 1)[1].target;
  ASSERT_GT(whole.size(), 3U);
  const auto engine = make_engine(true);
  const SentenceId id = *engine->open(make_policy("full-sentence"));
  engine->force(id, {static_cast<int>(whole[0]), static_cast<int>(whole[1])});
  engine->read(id, sources_[1]);
  engine->finish(id);
  std::vector<Write> writes;
  while (writes.empty() || !writes.back().end) engine->tick(writes);
  std::vector<std::int64_t> rest;
  for (const Write& write : writes)
    if (!write.end) rest.push_back(write.token);
  EXPECT_EQ(rest, std::vector<std::int64_t>(whole.begin() + 2, whole.end()));
}

TEST_F(EngineRepetition, ASourceOfSignsHasNoTranslation) {
  for (const char* policy : {"full-sentence", "wait-k:k=1", "gma:delta=1", "local-agreement"}) {
    SCOPED_TRACE(policy);
    const auto engine = make_engine(true);
    const SentenceId id = *engine->open(make_policy(policy));
    engine->read(id, std::vector{35, 36});
    std::vector<Write> writes;
    while (engine->tick(writes)) {
    }
    EXPECT_TRUE(writes.empty());
    engine->finish(id);
    while (engine->tick(writes)) {
    }
    ASSERT_EQ(writes.size(), 1U);
    EXPECT_TRUE(writes.front().end);
  }
}

}  // namespace
}  // namespace surtitle
