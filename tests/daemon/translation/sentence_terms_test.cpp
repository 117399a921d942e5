#include "daemon/translation/sentence_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/text/words.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SentenceTerms terms_of(const protocol::Glossary& glossary, bool spoken = false) {
  return SentenceTerms({make_terms(glossary, "de"), {"X7", "X4"}, spoken, /*english=*/true});
}

// Returns what the model reads of a sentence.
std::string read(SentenceTerms& terms, const std::string& sentence) {
  std::vector<std::string> words;
  std::vector<ModelText> texts;
  const auto add = [&](const std::vector<ModelText>& more) {
    texts.insert(texts.end(), more.begin(), more.end());
  };
  for (const std::string_view word : split_words(sentence)) {
    words.emplace_back(word);
    add(terms.add(word));
  }
  add(terms.end());
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& one = texts.at(i).value_or(words[i]);
    text += (text.empty() || one.empty() ? "" : " ") + one;
  }
  return text;
}

std::string read(const protocol::Glossary& glossary, const std::string& sentence,
                 bool spoken = false) {
  SentenceTerms terms = terms_of(glossary, spoken);
  return read(terms, sentence);
}

// Returns the deltas of a translation in these pieces.
std::vector<std::string> write(SentenceTerms& terms, const std::vector<std::string>& pieces) {
  std::vector<std::string> texts;
  for (const std::string& piece : pieces) {
    texts.push_back(terms.write(piece));
  }
  texts.push_back(terms.finish());
  return texts;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) {
    text += one;
  }
  return text;
}

// --- source ---

TEST(SentenceTerms, ReplacesATermAndKeepsItsPunctuation) {
  const protocol::Glossary glossary{{"Surtitle", "Surtitle"}};
  EXPECT_EQ(read(glossary, "Mit (Surtitle), sagt er."), "Mit (X7), sagt er.");
  EXPECT_EQ(read(glossary, "Das Surtitle-Team und Demo-Surtitle"), "Das X7-Team und Demo-X7");
  EXPECT_EQ(read(glossary, "Surtitle's Surtitles surtitle Surtitle.de"),
            "X7's Surtitles surtitle Surtitle.de");
}

TEST(SentenceTerms, MatchesAnyCaseWithoutCapitalsAndEndingsIfAsked) {
  EXPECT_EQ(read({{"frei* Szene", "x"}}, "Freie Szene, freien Szene, freie szene"),
            "X7, X7, freie szene");
  EXPECT_EQ(read({{"Landrat*", "x"}}, "Landrat Landrates Landratsamt"), "X7 X7 Landratsamt");
  EXPECT_EQ(read({{"Bad Doberan", "x"}}, "in bad doberan heute", /*spoken=*/true), "in X7 heute");
}

TEST(SentenceTerms, HoldsAWordOnlyWhileALongerTermMayFollow) {
  SentenceTerms terms = terms_of({{"Runder Tisch", "round table"}, {"Runder", "round"}});
  EXPECT_EQ(terms.add("Ein").size(), 1U);
  EXPECT_THAT(terms.add("Runder"), IsEmpty());
  EXPECT_THAT(terms.add("Tisch."), ElementsAre(ModelText(""), ModelText("X7.")));
  EXPECT_THAT(terms.add("Runder"), IsEmpty());
  EXPECT_THAT(terms.add("Saal"), ElementsAre(ModelText("X4"), ModelText()));
  EXPECT_THAT(terms.add("Runder,"), ElementsAre(ModelText("X4,"))) << "no term continues a comma";
  EXPECT_THAT(terms.add("Runder"), IsEmpty());
  EXPECT_THAT(terms.end(), ElementsAre(ModelText("X4")));
}

TEST(SentenceTerms, AWordThatIsAPlaceholderIsNotConfusedWithATerm) {
  const protocol::Glossary glossary{{"Surtitle", "Surtitle"}};
  EXPECT_EQ(read(glossary, "Der X7 hat Surtitle."), "Der X7 hat X4.");
  SentenceTerms terms = terms_of(glossary);
  EXPECT_EQ(read(terms, "Surtitle im X7."), "X7 im X4");
  EXPECT_EQ(joined(write(terms, {"X7", " in", " X4"})), "Surtitle in X7.");
  EXPECT_EQ(terms.found(), 1);
  EXPECT_EQ(terms.written(), 1);
}

TEST(SentenceTerms, WithoutAPlaceholderTheTermItselfIsReplacedIfTheModelCopiesIt) {
  SentenceTerms terms = terms_of({{"Eins", "one"}, {"Zwei", "two"}, {"Drei", "three"}});
  EXPECT_EQ(read(terms, "Eins Zwei Drei"), "X7 X4 Drei");
  EXPECT_THAT(write(terms, {"X7", " X4", " Dr", "ei", "."}),
              ElementsAre("One", " two", "", "", " three.", ""));
  EXPECT_EQ(terms.written(), 3);
  SentenceTerms twice = terms_of({{"Eins", "one"}, {"Zwei", "two"}, {"Drei", "three"}});
  read(twice, "Eins Zwei Drei Drei");
  EXPECT_EQ(joined(write(twice, {"Drei", " Drei", " X7"})), "Three three one");
}

// --- target ---

TEST(SentenceTerms, WritesTheTermWithTheLastPieceOfItsPlaceholder) {
  SentenceTerms terms = terms_of({{"Wärmepumpe", "heat pump"}});
  read(terms, "Die Wärmepumpe");
  EXPECT_THAT(write(terms, {"The", " X", "7", "s", " X", "ylophone", " X"}),
              ElementsAre("The", "", " heat pump", "s", "", " Xylophone", "", " X"));
}

TEST(SentenceTerms, BeginsASentenceWithACapitalUnlessTheTermIsKept) {
  SentenceTerms terms = terms_of({{"Wärmepumpe", "heat pump"}, {"iPlanner", "iPlanner"}});
  read(terms, "Wärmepumpe iPlanner");
  EXPECT_EQ(joined(write(terms, {"\"X7 and X4\""})), "\"Heat pump and iPlanner\"");
  SentenceTerms kept = terms_of({{"iPlanner", "iPlanner"}});
  read(kept, "iPlanner");
  EXPECT_EQ(joined(write(kept, {"X7"})), "iPlanner");
}

TEST(SentenceTerms, ChoosesTheArticleOfEnglish) {
  SentenceTerms terms = terms_of({{"Wärmepumpe", "heat pump"}, {"Anlage", "installation"}});
  read(terms, "Wärmepumpe Anlage");
  EXPECT_THAT(
      write(terms, {"I", " have", " an", " X", "7", " and", " a", " X4", " and", " a", " car"}),
      ElementsAre("I", " have", "", "", " a heat pump", " and", "", " an installation", " and", "",
                  " a car", ""));
}

TEST(SentenceTerms, CountsTermsThatAreMissing) {
  SentenceTerms terms = terms_of({{"Eins", "one"}, {"Zwei", "two"}});
  read(terms, "Eins Zwei");
  write(terms, {"X7 X7"});
  EXPECT_EQ(terms.found(), 2);
  EXPECT_EQ(terms.written(), 1);
}

TEST(Masked, ReplacesTheWordInAnyCaseAndEndingIfAsked) {
  const auto masks = make_masks({{"geheim*", "***"}, {"Surtitle", "Surtitle"}}, "de");
  EXPECT_EQ(masked_text(*masks, "Ganz GEHEIMES, geheim! Geheimnis"), "Ganz ***, ***! Geheimnis");
  EXPECT_EQ(make_masks({{"Surtitle", "Surtitle"}}, "de"), nullptr);
}

}  // namespace
}  // namespace surtitle
