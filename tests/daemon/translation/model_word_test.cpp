#include "daemon/translation/model_word.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace surtitle {
namespace {

TEST(ModelWord, LacksPicturesAndUnknownSigns) {
  EXPECT_EQ(model_word("😀"), "");
  EXPECT_EQ(model_word("👍🏽"), "");
  EXPECT_EQ(model_word("gut😀!"), "gut!");
  EXPECT_EQ(model_word("❤️👩‍💻🇩🇪"), "");
  EXPECT_EQ(model_word("<"), "");
  EXPECT_EQ(model_word("~{x}^"), "x");
  EXPECT_EQ(model_word("✓"), "");
}

TEST(ModelWord, LacksMarks) {
  for (const char* word : {"[Applaus]", "[00:01]", "(lacht)", "*seufzt*", "<unk>"}) {
    EXPECT_EQ(model_word(word), "");
  }
  EXPECT_EQ(model_word("[Musik]Guten"), "Guten");
}

TEST(ModelWord, KeepsTextAndKnownSigns) {
  for (const char* word : {"", "Guten", "Müller's", "3<5", "+", "=", "°C", "→", "(a)", "–", "…",
                           "100", "%", "€", "/", "a~b", "C++", "日本"}) {
    EXPECT_EQ(model_word(word), word);
  }
}

TEST(ModelWord, LacksTagsAndEscapeSequences) {
  EXPECT_EQ(model_word("<b>Guten</b>"), "Guten");
  EXPECT_EQ(model_word("\x1b[31mTag\x1b[0m."), "Tag.");
  EXPECT_EQ(model_word("\x1b[31"), "");
  EXPECT_EQ(model_word(std::string("a\0b", 3)), "ab");
}

TEST(ModelWord, LacksEmphasis) {
  EXPECT_EQ(model_word("*Das*"), "Das");
  EXPECT_EQ(model_word("**sehr**,"), "sehr,");
  EXPECT_EQ(model_word("wichtig*."), "wichtig.");
  for (const char* word : {"Bürger*innen", "*", "**", "a*b", "gut.", "..."}) {
    EXPECT_EQ(model_word(word), word);
  }
}

TEST(ModelWord, LacksBracketsAroundWords) {
  EXPECT_EQ(model_word("[Olaf"), "Olaf");
  EXPECT_EQ(model_word("Scholz],"), "Scholz,");
  EXPECT_EQ(model_word("[12]."), "12.");
  EXPECT_EQ(model_word("[sic]"), "sic");
  EXPECT_EQ(model_word("Kolleg[inn]en"), "Kolleginnen");
  EXPECT_EQ(model_word("<Anna>"), "Anna");
}

TEST(ModelWord, HasOtherFormsOfCharactersAsKnownOnes) {
  const std::vector<std::pair<std::string, std::string>> forms{
      {"−5", "-5"}, {"(−3,5)", "(-3,5)"}, {"‑5", "-5"},   {"5−3", "5-3"},
      {"½", "1/2"}, {"2½", "2 1/2"},      {"Ⅳ", "IV"},    {"③", "3"},
      {"㎏", "kg"}, {"25℃", "25°C"},      {"５", "5"},    {"𝐆ut", "Gut"},
      {"m²", "m²"}, {"–5", "–5"},         {"a‑b", "a‑b"}, {"™", "™"}};
  for (const auto& [word, known] : forms) {
    EXPECT_EQ(model_word(word), known);
  }
}

TEST(ModelWord, HasSignsInWordsOfTheLanguage) {
  EXPECT_EQ(model_word("≠", "de"), "ungleich");
  EXPECT_EQ(model_word("≥18", "de-DE"), "mindestens 18");
  EXPECT_EQ(model_word("≤", "en"), "at most");
  EXPECT_EQ(model_word("3×4", "de"), "3 mal 4");
  EXPECT_EQ(model_word("−", "en"), "minus");
  EXPECT_EQ(model_word("≠", "fr"), "");
  EXPECT_EQ(model_word("×", "fr"), "×");
}

TEST(ModelWord, LosesSignsOnlyIfTheLanguageHasNoWords) {
  EXPECT_TRUE(loses_sign("≥5", "fr"));
  EXPECT_TRUE(loses_sign("∑", "de"));
  for (const char* word : {"≠", "x<5", "−5", "gut"}) {
    EXPECT_FALSE(loses_sign(word, "de"));
  }
}

TEST(FirstUnread, IsOneRunOfPictures) {
  const std::string_view text = "gut 👍🏽😀! ❤️";
  const std::string_view first = first_unread(text);
  EXPECT_EQ(first, "👍🏽😀");
  EXPECT_EQ(first.data() - text.data(), 4);
  EXPECT_EQ(first_unread(text.substr(4 + first.size())), "❤️");
  EXPECT_EQ(first_unread("gut → 20 °C").data()[-1], 'C');
}

TEST(FirstUnread, IsAMarkInSquareBrackets) {
  EXPECT_EQ(first_unread("Gut. [leise Musik] Und nun"), "[leise Musik]");
  EXPECT_EQ(first_unread("[Olaf Scholz] sagte"), "");
  EXPECT_EQ(first_unread("a[i] ist [3] und [offen"), "");
}

TEST(FirstUnread, IsAWordOfUnknownSigns) {
  EXPECT_EQ(first_unread("3 <= 5"), "<=");
  EXPECT_EQ(first_unread("~"), "~");
  EXPECT_EQ(first_unread("3 ≠ 4", "fr"), "≠");
  EXPECT_EQ(first_unread("3 ≠ 4", "de"), "");
  EXPECT_EQ(first_unread("a<b ~c > d"), ">");
  EXPECT_EQ(first_unread("a + b = c <d>"), "");
}

}  // namespace
}  // namespace surtitle
