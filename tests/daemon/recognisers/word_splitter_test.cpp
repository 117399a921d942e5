#include "daemon/recognisers/word_splitter.h"

#include <gmock/gmock.h>

#include <random>

#include "model/text/words.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using Words = std::vector<std::string>;

Words feed(WordSplitter& splitter, std::string_view bytes) {
  Words words;
  splitter.feed(bytes, words);
  return words;
}

Words finish(WordSplitter& splitter) {
  Words words;
  splitter.finish(words);
  return words;
}

Words split(std::string_view text) {
  WordSplitter splitter;
  Words words = feed(splitter, text);
  splitter.finish(words);
  return words;
}

TEST(WordSplitter, ReturnsAWordOnceTheWhiteSpaceAfterItHasArrived) {
  WordSplitter splitter;
  EXPECT_THAT(feed(splitter, "Gut"), IsEmpty());
  EXPECT_THAT(feed(splitter, "en"), IsEmpty());
  EXPECT_THAT(feed(splitter, " "), ElementsAre("Guten"));
  EXPECT_THAT(feed(splitter, "Morgen\nalle"), ElementsAre("Morgen"));
  EXPECT_THAT(finish(splitter), ElementsAre("alle"));
  EXPECT_THAT(finish(splitter), IsEmpty());
}

TEST(WordSplitter, MarksABlankLineOnceAndOnlyAfterAWord) {
  EXPECT_THAT(split("eins\nzwei\n\ndrei"), ElementsAre("eins", "zwei", "", "drei"));
  EXPECT_THAT(split("\n\n\neins\n \t\r\n\n\nzwei\r\n\r\n"), ElementsAre("eins", "", "zwei", ""));
}

TEST(WordSplitter, TreatsUnicodeSpacesAsWhiteSpace) {
  EXPECT_THAT(split("a\u00A0b\u2003c\u3000d"), ElementsAre("a", "b", "c", "d"));
}

TEST(WordSplitter, ReplacesInvalidUtf8) {
  WordSplitter splitter;
  EXPECT_THAT(feed(splitter, "a\xFF\x62 \xC3 x\xE2\x82"), ElementsAre("a\uFFFDb", "\uFFFD"));
  EXPECT_THAT(finish(splitter), ElementsAre("x\uFFFD\uFFFD"));
  EXPECT_EQ(splitter.replaced(), 4);
}

TEST(WordSplitter, SplitsALongRunBetweenCharacters) {
  std::string run;
  while (run.size() < 5 * WordSplitter::kMaxWord) {
    run += "ä€";
  }
  std::string joined;
  for (const std::string& word : split(run)) {
    EXPECT_THAT(word.size(), Le(WordSplitter::kMaxWord + 3));
    joined += word;
  }
  EXPECT_EQ(joined, run);
}

std::string random_text(std::mt19937& random, const Words& parts) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += parts[random() % parts.size()];
  }
  return text;
}

TEST(WordSplitter, DoesNotDependOnTheDivisionIntoPieces) {
  const Words parts{"a", "ß", "€", "𝄞", " ", "\n", "\t", "\u00A0", "\u2028", "\xFF", "\xE2\x82"};
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(random, parts);
    WordSplitter splitter;
    Words words;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(random() % 6, rest.size());
      splitter.feed(rest.substr(0, size), words);
      rest.remove_prefix(size);
    }
    splitter.finish(words);
    ASSERT_EQ(words, split(text)) << ::testing::PrintToString(text);
  }
}

TEST(WordSplitter, SplitsWordsAsTheDaemonDoes) {
  const Words parts{"a", "ß", "€", "𝄞", ".", " ", "\n", "\r", "\v", "\u0085", "\u00A0", "\u202F"};
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(random, parts);
    Words words = split(text);
    std::erase(words, "");
    const std::vector<std::string_view> expected = split_words(text);
    ASSERT_EQ(words, Words(expected.begin(), expected.end())) << ::testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace surtitle
