#include "model/text/dictionary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;

class DictionaryFile : public testing::Test {
 protected:
  std::shared_ptr<const Tokenizer> load(const std::string& text) const {
    write_text(file_, text);
    return load_dictionary(file_);
  }
  // Returns the error of the file without its name.
  std::string error(const std::string& text) const {
    const auto whole = error_of([&] { load(text); });
    EXPECT_TRUE(whole.starts_with(file_.string() + ":")) << whole;
    return whole.substr(std::min(whole.size(), file_.string().size() + 1));
  }
  static std::string text_of(const std::shared_ptr<const Tokenizer>& dictionary,
                             const std::vector<int>& tokens) {
    Detokenizer detokenizer(dictionary);
    std::string text;
    for (const int token : tokens) text += detokenizer.write(token);
    return text + detokenizer.finish();
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "dict.de.txt";
};

TEST_F(DictionaryFile, CountsTokensFromFourBehindTheSpecialOnes) {
  const auto dictionary = load("der 12\nhaus@@ 7\nhalt 3\n, 1\n");
  EXPECT_EQ(dictionary->vocabulary_size(), 8);
  EXPECT_THAT(tokenize(*dictionary, "der haus@@ halt ,").tokens, ElementsAre(4, 5, 6, 7));
}

TEST_F(DictionaryFile, TakesWhateverItDoesNotHaveForUnknown) {
  const auto dictionary = load("der 12\n");
  EXPECT_THAT(tokenize(*dictionary, "Der <unk> </s> <s> <pad> der@@").tokens,
              ElementsAre(kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown));
}

TEST_F(DictionaryFile, JoinsThePiecesOfAWord) {
  const auto dictionary = load("der 12\nhaus@@ 7\nhalt@@ 5\nplan 3\n");
  const auto tokenized = tokenize(*dictionary, "der haus@@ halt@@ plan der haus@@");
  EXPECT_THAT(tokenized.word_tokens, ElementsAre(1, 3, 1, 1));
  EXPECT_EQ(text_of(dictionary, tokenized.tokens), "der haushaltplan der haus");
  EXPECT_EQ(text_of(dictionary, {4, kUnknown, 4, kBeginOfSentence, kPadding, kEndOfSentence, 99}),
            "der \u2047 der");
}

TEST_F(DictionaryFile, WritesAWordsSpaceWithTheWordBehindIt) {
  const auto dictionary = load("der 12\nhaus@@ 7\nhalt 5\n");
  Detokenizer detokenizer(dictionary);
  EXPECT_EQ(detokenizer.write(4), "der");
  EXPECT_EQ(detokenizer.write(5), " haus");
  EXPECT_EQ(detokenizer.write(6), "halt");
  EXPECT_EQ(detokenizer.write(6), " halt");
}

TEST_F(DictionaryFile, TakesLinesOfOtherSystems) {
  EXPECT_THAT(tokenize(*load("der 12\r\ndie 11\r\n"), "die").tokens, ElementsAre(5));
  EXPECT_THAT(tokenize(*load("der 12\ndie 11"), "die").tokens, ElementsAre(5));
}

TEST_F(DictionaryFile, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(error("der 12\ndie\n"), "2: expected TOKEN COUNT");
  EXPECT_EQ(error("der 12\n\ndie 3\n"), "2: expected TOKEN COUNT");
  EXPECT_EQ(error(" 12\n"), "1: expected TOKEN COUNT");
  EXPECT_EQ(error("der x\n"), "1: the count must be a whole number, expected TOKEN COUNT");
  EXPECT_EQ(error("der -1\n"), "1: the count must be a whole number, expected TOKEN COUNT");
  EXPECT_EQ(error("der das 1\n"),
            "1: the token must not contain white space, expected TOKEN COUNT");
  EXPECT_EQ(error("der 1\n\xC3 1\n"), "2: the token is not UTF-8");
  EXPECT_EQ(error("der 1\ndie 1\nder 1\n"), "3: the token occurs twice");
  EXPECT_EQ(error_of([&] { load_dictionary(folder_.path()); }),
            folder_.path().string() + ": cannot be read");
}

}  // namespace
}  // namespace surtitle
