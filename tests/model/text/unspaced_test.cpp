#include "model/text/unspaced.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/engine/repetition_rule.h"
#include "model/text/tokenizer.h"
#include "model/text/word_delays.h"
#include "model/text/word_runs.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(UnspacedScripts, HaveAWordForEachCharacterWithItsSigns) {
  EXPECT_THAT(split_words("今天，很好。「真的」吗？"),
              ElementsAre("今", "天，", "很", "好。", "「真", "的」", "吗？"));
  EXPECT_THAT(split_words("私は スピーチ"), ElementsAre("私", "は", "ス", "ピ", "ー", "チ"));
  EXPECT_THAT(split_words("ที่นี่ ดี"), ElementsAre("ที่", "นี่", "ดี"));
  EXPECT_THAT(split_words("约3.5米, iPhone15的(新)机"),
              ElementsAre("约", "3.5", "米,", "iPhone15", "的", "(新)", "机"));
  EXPECT_THAT(split_words("。。 （ 好"), ElementsAre("。。", "（", "好"));
}

TEST(UnspacedScripts, LeaveOtherTextAsItIs) {
  EXPECT_THAT(split_words("don't (well-known) 3.5% «Où?» — 안녕하세요, мир!"),
              ElementsAre("don't", "(well-known)", "3.5%", "«Où?»", "—", "안녕하세요,", "мир!"));
  EXPECT_THAT(split_words("a\u00A0b\xFF\n"), ElementsAre("a", "b\xFF"));
  EXPECT_THAT(split_words(" "), IsEmpty());
}

TEST(UnspacedScripts, AreJoinedWithoutSpaces) {
  EXPECT_EQ(space_between("好。", "明"), "");
  EXPECT_EQ(space_between("好", "（新"), "");
  EXPECT_EQ(space_between("ที่", "นี่"), "");
  EXPECT_EQ(space_between("好", "OK"), " ");
  EXPECT_EQ(space_between("OK", "好"), " ");
  EXPECT_EQ(space_between("안녕", "하세요"), " ");
  EXPECT_EQ(space_between("", "a"), "");
}

TEST(UnspacedScripts, HaveWideCharacters) {
  EXPECT_EQ(display_width("Où?"), 3);
  EXPECT_EQ(display_width("今天。"), 6);
  EXPECT_EQ(display_width("안녕"), 4);
  EXPECT_EQ(display_width("ที่"), 1);
}

// Words do not depend on the deltas in which a text is written.
TEST(UnspacedScripts, AreCountedInTheTarget) {
  const std::string text = "我用 iPhone，好。";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    if (first < text.size() && (static_cast<unsigned char>(text[first]) & 0xC0U) == 0x80U) continue;
    TargetWords words;
    EXPECT_FALSE(words.write(text.substr(0, first), 1));
    words.write(text.substr(first), 2);
    EXPECT_EQ(words.delays().size(), 4U) << first;
    EXPECT_EQ(words.delays().back(), first == text.size() ? 1 : 2) << first;
  }
  TargetWords words;
  words.write("好", 1);
  EXPECT_TRUE(words.write("。", 2));
  EXPECT_FALSE(words.write("的", 3));
  EXPECT_THAT(words.delays(), ElementsAre(2, 3));
}

// Pieces are found from left to right, the longest first.
class GreedyTokenizer final : public Tokenizer {
 public:
  std::vector<int> encode_word(std::string_view word) const override {
    std::string marked(kWordBoundary);
    for (const char c : word) marked += c == ' ' ? std::string(kWordBoundary) : std::string(1, c);
    std::vector<int> tokens;
    for (std::string_view rest = marked; !rest.empty();) {
      std::size_t best = 0;
      for (std::size_t i = 4; i < pieces_.size(); ++i)
        if (rest.starts_with(pieces_[i]) && pieces_[i].size() > (best ? pieces_[best].size() : 0))
          best = i;
      tokens.push_back(best ? static_cast<int>(best) : kUnknown);
      rest.remove_prefix(best ? pieces_[best].size() : rest.size());
    }
    return tokens;
  }
  std::string_view piece(int token) const override {
    return pieces_[static_cast<std::size_t>(token)];
  }
  int vocabulary_size() const override { return static_cast<int>(pieces_.size()); }

 private:
  std::vector<std::string> pieces_{"<s>", "<pad>", "</s>", "\u2047", "\u2581", "今天",
                                   "天",  "今",    "气",   "好。",   "好",     "\u2581OK",
                                   "。",  "กี",     "ดี",    "\u2581ดี"};
};

constexpr int kMark = 4;
constexpr int kToday = 5;
constexpr int kDay = 6;
constexpr int kNow = 7;
constexpr int kAir = 8;
constexpr int kGoodStop = 9;
constexpr int kOk = 11;
constexpr int kCrow = 13;
constexpr int kFine = 14;
constexpr int kMarkedFine = 15;

TEST(WordRuns, HavePiecesOfSeveralWords) {
  const GreedyTokenizer tokenizer;
  const TokenizedText text = tokenize(tokenizer, "今天天气好。今OK");
  EXPECT_THAT(text.tokens, ElementsAre(kMark, kToday, kDay, kAir, kGoodStop, kNow, kOk));
  // The piece of two characters is of the second one; a run begins after a stop.
  EXPECT_THAT(text.word_tokens, ElementsAre(1, 1, 1, 1, 1, 1, 1));
  const std::vector<std::string_view> words{"今", "天"};
  EXPECT_THAT(encode_run(tokenizer, words, /*begins=*/false),
              ElementsAre(IsEmpty(), ElementsAre(kToday)));
}

TEST(WordRuns, KeepTheSpacesThatDividePhrases) {
  const GreedyTokenizer tokenizer;
  const auto tokens = [&](std::string_view text) { return tokenize(tokenizer, text).tokens; };
  const TokenizedText text = tokenize(tokenizer, "กี ดีกี");
  EXPECT_THAT(text.tokens, ElementsAre(kMark, kCrow, kMarkedFine, kCrow));
  EXPECT_THAT(text.word_tokens, ElementsAre(2, 1, 1));
  EXPECT_THAT(tokens("กีดีกี"), ElementsAre(kMark, kCrow, kFine, kCrow));
  EXPECT_THAT(tokens(" กี"), ElementsAre(kMark, kCrow));
  EXPECT_THAT(tokens("OK กี"), ElementsAre(kOk, kMark, kCrow));
  EXPECT_THAT(tokens("OKกี"), ElementsAre(kOk, kCrow));
  // A character that the vocabulary lacks.
  EXPECT_THAT(tokens("ข กี"), ElementsAre(kMark, kUnknown, kMark, kCrow));
  EXPECT_THAT(tokens("好 天"), ElementsAre(kMark, 10, kDay)) << "no meaning in Chinese";
  EXPECT_THAT(split_words_with_spaces("กี  ດີ “မ A 好 や ក"),
              ElementsAre("กี", " ດີ", " “မ", "A", "好", "や", " ក"));
}

TEST(WordRuns, AreDividedIfTheVocabularyLacksACharacter) {
  const GreedyTokenizer tokenizer;
  const std::vector<std::string_view> words{"今", "天", "龘"};
  EXPECT_THAT(encode_run(tokenizer, words, /*begins=*/true),
              ElementsAre(ElementsAre(kMark, kNow), ElementsAre(kDay), ElementsAre(kUnknown)));
}

TEST(WordRuns, EndAtSignsAndOtherScripts) {
  using Words = std::vector<std::string_view>;
  EXPECT_EQ(run_length(Words{"今", "天", "气"}), 3U);
  EXPECT_EQ(run_length(Words{"今", "天。", "气"}), 2U);
  EXPECT_EQ(run_length(Words{"今", "OK"}), 1U);
  EXPECT_EQ(run_length(Words{"OK", "OK"}), 1U);
  EXPECT_EQ(run_length(Words(40, "今")), kMaxRun);
}

TEST(WordRuns, HaveWordsForPoliciesOfWords) {
  const RepetitionRule rule(Tokenizers(std::make_shared<GreedyTokenizer>()));
  EXPECT_TRUE(rule.begins_word(kToday));
  EXPECT_TRUE(rule.begins_word(kOk));
  EXPECT_FALSE(rule.begins_word(12));
}

}  // namespace
}  // namespace surtitle
