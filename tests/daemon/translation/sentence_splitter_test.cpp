#include "daemon/translation/sentence_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "model/text/words.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;

// Returns the sentences of a text whose words arrive one by one.
std::vector<std::string> split(const std::string& text, std::string_view language) {
  std::vector<std::string> sentences;
  SentenceSplitter splitter(language);
  bool begins = true;
  for (const std::string_view word : split_words(text)) {
    if (begins || splitter.ends_before(word)) {
      splitter.begin_sentence();
      sentences.emplace_back();
    }
    sentences.back() += (sentences.back().empty() ? "" : " ") + std::string(word);
    begins = splitter.append(word);
  }
  return sentences;
}

// A word that ends its sentence at once, without the next word.
TEST(SentenceSplitter, EndsAtPunctuation) {
  for (const char* word :
       {"Morgen.", "Ja!", "Wirklich?", "?!", ".", "Welt。", "abc?..", "gehst.\u200b", "GmbH.",
        "SPD.", "2.500.", "3,5.", "beispiel.de.", "7.10.1999."}) {
    EXPECT_TRUE(ends_sentence("Ein " + std::string(word), "de")) << word;
  }
}

TEST(SentenceSplitter, ContinuesOtherwise) {
  for (const char* word : {"Morgen", "Morgen,", "z.B.", "Dr.", "„Dr.", "(z.B.", "bzw.", "2,5",
                           "10:", "Haus;", "…und", "?a", "\"", "“", "(!)", "du?“,"}) {
    EXPECT_EQ(split("Ein " + std::string(word) + " Die", "de").size(), 1U) << word;
  }
}

TEST(SentenceSplitter, DoubtfulStopDependsOnTheNextWord) {
  for (const char* word : {"7.", "7.10.", "II.", "100.", "Chr.", "usw.", "Co.", "u. a.", "A.",
                           "...", "Wie?“", "gut.)", "Sept.", "monatl."}) {
    const std::string text = "ein " + std::string(word);
    EXPECT_FALSE(ends_sentence(text, "de")) << word;
    EXPECT_EQ(split(text + " und", "de").size(), 1U) << word;
    EXPECT_EQ(split(text + " Dann", "de").size(), 2U) << word;
  }
}

TEST(SentenceSplitter, NumberOfAListBelongsToItsSentence) {
  EXPECT_THAT(split("1. Die Tür öffnen. 2. Das Licht löschen.", "de"),
              ElementsAre("1. Die Tür öffnen.", "2. Das Licht löschen."));
  EXPECT_THAT(split("II. Results. III. The end.", "en"),
              ElementsAre("II. Results.", "III. The end."));
}

TEST(SentenceSplitter, FindsStopsThatAreWordsOfTheirOwn) {
  EXPECT_THAT(split("Guten Tag . Dr . Kern ist da !", "de"),
              ElementsAre("Guten Tag .", "Dr . Kern ist da !"));
}

TEST(SentenceSplitter, LeavesTheClosingQuoteWithItsSentence) {
  EXPECT_THAT(split("Er ruft usw. “ Dann geht er.", "de"),
              ElementsAre("Er ruft usw. “", "Dann geht er."));
}

TEST(SentenceSplitter, LanguageMayHaveARegionAndCapitals) {
  for (const char* language : {"de", "DE", "de-AT", "de_CH"}) {
    EXPECT_FALSE(ends_sentence("Äpfel usw.", language)) << language;
  }
}

TEST(SentenceSplitter, OtherLanguagesHaveTheirAbbreviations) {
  EXPECT_THAT(split("Il habite avec M. Dupont. Elle aussi.", "fr-FR"),
              ElementsAre("Il habite avec M. Dupont.", "Elle aussi."));
  EXPECT_THAT(split("Dne 7. října. Ano.", "cs"), ElementsAre("Dne 7. října.", "Ano."));
}

struct Counts {
  double found = 0;
  double wrong = 0;
  double missed = 0;
  std::string mistakes;

  double f1() const { return 2 * found / (2 * found + wrong + missed); }
};

// Splits the text of a file, in which each line is a sentence, as one stream of words.
Counts compare_with_lines(const std::string& language) {
  std::ifstream file(SURTITLE_SOURCE_DIR "/tests/data/sentences/" + language + ".txt");
  std::vector<std::string> words;
  std::vector<bool> ends;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    for (const std::string_view word : split_words(line)) {
      words.emplace_back(word);
      ends.push_back(false);
    }
    ends.back() = true;
  }
  Counts counts;
  SentenceSplitter splitter(language);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool ended = splitter.append(words[i]) || splitter.ends_before(words[i + 1]);
    counts.found += ended && ends[i] ? 1 : 0;
    counts.wrong += ended && !ends[i] ? 1 : 0;
    counts.missed += !ended && ends[i] ? 1 : 0;
    if (ended != ends[i]) {
      counts.mistakes += words[i] + (ended ? " | " : " ") + words[i + 1] + "\n";
    }
    if (ended) {
      splitter.begin_sentence();
    }
  }
  return counts;
}

class SentenceSplitterOnText : public ::testing::TestWithParam<const char*> {};

TEST_P(SentenceSplitterOnText, FindsTheSentencesOfTheTestSet) {
  const Counts counts = compare_with_lines(GetParam());
  RecordProperty("f1", std::to_string(counts.f1()));
  EXPECT_GE(counts.found + counts.missed, 299);
  EXPECT_GE(counts.f1(), 0.98) << counts.mistakes;
}

INSTANTIATE_TEST_SUITE_P(Languages, SentenceSplitterOnText, ::testing::Values("de", "en"));

}  // namespace
}  // namespace surtitle
