#include "daemon/translation/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/text/words.h"

namespace surtitle {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  const auto words = split_words(text);
  return {words.begin(), words.end()};
}

// Returns a text with its figures, as SentenceTerms makes them.
std::string in_figures(const std::string& text, bool to_english = true,
                       FigureLanguage language = FigureLanguage::kGerman) {
  std::vector<std::string> held;
  std::string read;
  std::string previous;
  const auto decide = [&](bool all) {
    while (!held.empty() && (all || !may_continue_figures(language, held))) {
      const auto figures = find_figures(language, held, previous, to_english, all);
      const std::size_t words = figures ? figures->words : 1;
      read += (read.empty() ? "" : " ") +
              (figures ? figures->before + figures->text + figures->after : held.front());
      previous = held[words - 1];
      held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(words));
    }
  };
  for (const std::string& word : words_of(text)) {
    held.push_back(word);
    decide(/*all=*/false);
  }
  decide(/*all=*/true);
  return read;
}

// A German numeral, as grammars have it.
std::string numeral(int n) {
  static const std::vector<std::string> kSmall{
      "",         "ein",      "zwei",     "drei",     "vier",     "fünf",    "sechs",
      "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",   "dreizehn",
      "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
  static const std::vector<std::string> kTens{"",        "",        "zwanzig", "dreißig",
                                              "vierzig", "fünfzig", "sechzig", "siebzig",
                                              "achtzig", "neunzig"};
  if (n >= 1000) {
    return numeral(n / 1000) + "tausend" + numeral(n % 1000);
  }
  if (n >= 100) {
    return numeral(n / 100) + "hundert" + numeral(n % 100);
  }
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  return n < 20 ? kSmall[at(n)]
                : kSmall[at(n % 10)] + (n % 10 > 0 ? "und" : "") + kTens[at(n / 10)];
}

TEST(GermanFigures, EveryLargeNumberInOneWordHasItsValue) {
  for (int n = 1001; n < 9999; n += n < 2100 ? 1 : 7) {
    EXPECT_EQ(in_figures(numeral(n) + "."),
              n % 1000 == 0 ? numeral(n) + "." : std::to_string(n) + ".");
  }
  EXPECT_EQ(in_figures("neunzehnhundertneunundachtzig"), "1989");
  EXPECT_EQ(in_figures("zwölfhundert"), "1200");
  EXPECT_EQ(in_figures("tausendeins"), "1001");
  EXPECT_EQ(in_figures("Tausendundzwanzig Leute"), "1020 Leute");
  EXPECT_EQ(in_figures("zwölftausendfünfhundert"), "12.500");
  EXPECT_EQ(in_figures("neunhundertneunundneunzigtausendneunhundertneunundneunzig"), "999.999");
  EXPECT_EQ(in_figures("ZWEITAUSENDDREISSIG"), "2030");
}

TEST(GermanFigures, OrdinalsHaveAPoint) {
  EXPECT_EQ(in_figures("am dreiundzwanzigsten Mai"), "am 23. Mai");
  EXPECT_EQ(in_figures("im achtzehnten Jahrhundert"), "im 18. Jahrhundert");
  EXPECT_EQ(in_figures("das hundertste Mal"), "das 100. Mal");
  EXPECT_EQ(in_figures("am einunddreißigsten."), "am 31.") << "one stop is enough";
}

TEST(GermanFigures, TimesAreEnglish) {
  EXPECT_EQ(in_figures("um 19:30 Uhr,"), "um 7:30 p.m.,");
  EXPECT_EQ(in_figures("um 19.30 Uhr."), "um 7:30 p.m.");
  EXPECT_EQ(in_figures("(19:30 Uhr)"), "(7:30 p.m.)");
  EXPECT_EQ(in_figures("einundzwanzig Uhr fünfzehn"), "9:15 p.m.");
  EXPECT_EQ(in_figures("um 12 Uhr"), "um 12:00 p.m.");
  EXPECT_EQ(in_figures("fünfzehn und siebzehn Uhr"), "3:00 p.m. und 5:00 p.m.");
  EXPECT_EQ(in_figures("um neunzehn Uhr dreißig los"), "um 7:30 p.m. los");
  EXPECT_EQ(in_figures("um acht Uhr dreißig los"), "um 8:30 los");
  EXPECT_EQ(in_figures("um 20 Uhr 15 beginnt"), "um 8:15 p.m. beginnt");
  EXPECT_EQ(in_figures("um zwanzig Uhr beginnt"), "um 8:00 p.m. beginnt");
  EXPECT_EQ(in_figures("ab 13 Uhr"), "ab 1:00 p.m.");
  EXPECT_EQ(in_figures("um 9.05 Uhr"), "um 9:05") << "the half of the day is not known";
  EXPECT_EQ(in_figures("um 12.15 Uhr"), "um 12:15 p.m.");
  EXPECT_EQ(in_figures("um 0:30 Uhr"), "um 12:30 a.m.");
  EXPECT_EQ(in_figures("um 24:00 Uhr"), "um 12:00 a.m.");
  EXPECT_EQ(in_figures("von 14 bis 16 Uhr geöffnet"), "von 2:00 p.m. bis 4:00 p.m. geöffnet");
  EXPECT_EQ(in_figures("von 9 bis siebzehn Uhr"), "von 9 bis 5:00 p.m.");
  EXPECT_EQ(in_figures("von neun bis siebzehn Uhr"), "von neun bis 5:00 p.m.");
  EXPECT_EQ(in_figures("um 14 und 16 Uhr 30"), "um 2:00 p.m. und 4:30 p.m.");
}

TEST(GermanFigures, PartsOfAnHourPrecedeTheNext) {
  EXPECT_EQ(in_figures("um halb elf."), "um 10:30.");
  EXPECT_EQ(in_figures("um halb eins"), "um 12:30");
  EXPECT_EQ(in_figures("um halb zwei"), "um 1:30");
  EXPECT_EQ(in_figures("um Dreiviertel acht"), "um 7:45");
  EXPECT_EQ(in_figures("um viertel acht"), "um 7:15");
  EXPECT_EQ(in_figures("kurz nach halb 8"), "kurz nach 7:30");
}

TEST(GermanFigures, OtherTargetsHaveTimesInGermanFigures) {
  EXPECT_EQ(in_figures("um halb elf", /*to_english=*/false), "um 10:30 Uhr");
  EXPECT_EQ(in_figures("um neunzehn Uhr dreißig.", /*to_english=*/false), "um 19:30 Uhr.");
  EXPECT_EQ(in_figures("14 bis 16 Uhr", /*to_english=*/false), "14 bis 16 Uhr");
  EXPECT_EQ(in_figures("24:00 Uhr", /*to_english=*/false), "24:00 Uhr");
}

TEST(GermanFigures, WhatIsNoNumberOrTimeStays) {
  for (const std::string text : {"halb voll",
                                 "halb, elf",
                                 "ein halb",
                                 "drei Busse",
                                 "die Elf",
                                 "um acht Uhr zwei Busse",
                                 "9 Uhr",
                                 "acht Uhr",
                                 "hundert Gäste",
                                 "zwanzig Leute",
                                 "dreihundertzwölf",
                                 "Neunzehn kamen",
                                 "tausend Dank",
                                 "Tausendundeine Nacht",
                                 "hunderte",
                                 "hundertprozentig",
                                 "die neunziger Jahre",
                                 "Viertel nach drei",
                                 "ein Viertel",
                                 "Version 14.45",
                                 "Lukas 15:11",
                                 "24:15 gewonnen",
                                 "ein halb zwei",
                                 "das Viertel zwei",
                                 "drei viertel acht",
                                 "zweitausend Menschen",
                                 "der tausendste Besucher",
                                 "14:60 Uhr",
                                 "25 Uhr",
                                 "1:0",
                                 "3 bis 5",
                                 "3 bis 5 Leute",
                                 "5 und",
                                 "der Achte",
                                 "Uhr",
                                 "-",
                                 "(",
                                 "12:30",
                                 "zweihunderthundert",
                                 "undzwanzig",
                                 "1.000.000",
                                 "99999999999999999999 Uhr",
                                 "٣ Uhr",
                                 "Karten"}) {
    EXPECT_EQ(in_figures(text), text);
  }
}

// A word waits only for what may be a longer time.
TEST(GermanFigures, OtherWordsDoNotWait) {
  const auto waits = [](const std::string& text) {
    return may_continue_figures(FigureLanguage::kGerman, words_of(text));
  };
  for (const char* text : {"halb", "dreiviertel", "acht", "19", "19:30", "19 bis", "19 bis 20",
                           "19 Uhr", "19 bis 20 Uhr", "neunzehn Uhr"}) {
    EXPECT_TRUE(waits(text)) << text;
  }
  for (const char* text :
       {"halb,", "Haus", "ein", "eine", "dreißig", "19,", "25", "300", "neunzig", "drei und",
        "19 Uhr,", "19:30 Uhr", "19 Leute", "19 bis,", "bis", "--"}) {
    EXPECT_FALSE(waits(text)) << text;
  }
}

std::string english(const std::string& text, bool to_english = false) {
  return in_figures(text, to_english, FigureLanguage::kEnglish);
}

TEST(EnglishFigures, TimesHaveTwentyFourHours) {
  EXPECT_EQ(english("at 7:30 p.m. in"), "at 19:30 in");
  EXPECT_EQ(english("by 4:15 p.m."), "by 16:15.") << "the stop of the sentence stays";
  EXPECT_EQ(english("by 4:15p.m."), "by 16:15.");
  EXPECT_EQ(english("(7 pm)"), "(19:00)");
  EXPECT_EQ(english("at 7pm, or 8.15am"), "at 19:00, or 08:15");
  EXPECT_EQ(english("12 a.m. and 12 p.m., are"), "00:00 and 12:00, are");
  EXPECT_EQ(english("7:30 p.m. is", /*to_english=*/true), "7:30 p.m. is");
}

TEST(EnglishFigures, WhatIsNoTimeOfDayStays) {
  for (const std::string text :
       {"7 people", "13 p.m.", "7:60 pm", "7:5 pm", "7, pm", "at 10:30", "pm", "p.m.", "7 p", "7a",
        "7 amps", "seven p.m.", "half past ten"}) {
    EXPECT_EQ(english(text), text);
  }
}

TEST(Figures, OtherLanguagesHaveNone) {
  EXPECT_EQ(in_figures("19:30 Uhr", true, figure_language("fr")), "19:30 Uhr");
  EXPECT_EQ(figure_language("de-AT"), FigureLanguage::kGerman);
  EXPECT_EQ(figure_language("deu"), FigureLanguage::kNone);
}

}  // namespace
}  // namespace surtitle
