#include "daemon/translation/sentence_limit.h"

#include <gtest/gtest.h>

#include <string>

namespace surtitle {
namespace {

constexpr int kMaxWords = 100;
constexpr int kTrainedWords = 30;

SentenceLimit limit_after(int words, const std::string& last = "wort",
                          const std::string& first = "wort") {
  SentenceLimit limit(kMaxWords, kTrainedWords);
  for (int i = 0; i < words; ++i) {
    limit.append(i + 1 == words ? last : i == 0 ? first : "wort");
  }
  return limit;
}

void append(SentenceLimit& limit, int words) {
  for (int i = 0; i < words; ++i) {
    limit.append("wort");
  }
}

TEST(SentenceLimit, WordsWithoutPunctuationEndAtTheirLimit) {
  EXPECT_FALSE(limit_after(kTrainedWords - 1).ends_before_next(std::nullopt));
  EXPECT_TRUE(limit_after(kTrainedWords).ends_before_next(std::nullopt));
}

TEST(SentenceLimit, PunctuatedSentenceEndsAtACommaPastItsSoftLimit) {
  EXPECT_FALSE(limit_after(60, "wort,").ends_before_next(std::nullopt));
  EXPECT_TRUE(limit_after(80, "wort,").ends_before_next(std::nullopt));
  EXPECT_TRUE(limit_after(80, "–").ends_before_next(std::nullopt));
  for (const char* last : {"wort", "Haus-"}) {
    SentenceLimit limit = limit_after(60, "wort,");
    append(limit, 19);
    limit.append(last);
    EXPECT_FALSE(limit.ends_before_next(std::nullopt)) << last;
  }
}

TEST(SentenceLimit, OneCommaDoesNotExcuseALongRestWithoutOne) {
  SentenceLimit limit = limit_after(1, "ja,");
  append(limit, 44);
  EXPECT_FALSE(limit.ends_before_next(std::nullopt));
  append(limit, 1);
  EXPECT_TRUE(limit.ends_before_next(std::nullopt)) << "1.5 times the words of training";
  limit = limit_after(1, "ja,");
  append(limit, 40);
  EXPECT_TRUE(limit.ends_before_next(0.2F));
  EXPECT_EQ(limit.silence(Seconds(2)), Seconds(0.5));
}

TEST(SentenceLimit, ProbableBeginEndsASentenceOfAnyLength) {
  EXPECT_TRUE(limit_after(1).ends_before_next(0.9F));
  EXPECT_FALSE(limit_after(1).ends_before_next(0.3F));
  EXPECT_FALSE(limit_after(0).ends_before_next(0.9F));
}

TEST(SentenceLimit, PastTheSoftLimitALessProbableBeginSuffices) {
  EXPECT_FALSE(limit_after(18).ends_before_next(0.3F));
  EXPECT_TRUE(limit_after(24).ends_before_next(0.3F));
  EXPECT_FALSE(limit_after(24).ends_before_next(0.1F));
  EXPECT_TRUE(limit_after(29).ends_before_next(0.1F));
}

TEST(SentenceLimit, SilenceIsShorterPastTheSoftLimit) {
  EXPECT_EQ(limit_after(18).silence(Seconds(2)), Seconds(2));
  EXPECT_EQ(limit_after(19).silence(Seconds(2)), Seconds(0.5));
  EXPECT_EQ(limit_after(0).silence(Seconds(2)), Seconds(2));
}

TEST(SentenceLimit, SmallLimitIsLeftToTheSession) {
  SentenceLimit limit(3, kTrainedWords);
  for (int i = 0; i < 3; ++i) {
    limit.append("wort");
  }
  EXPECT_FALSE(limit.ends_before_next(std::nullopt));
}

}  // namespace
}  // namespace surtitle
