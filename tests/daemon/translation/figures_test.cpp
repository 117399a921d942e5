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
  std::vector<std::string> previous;
  const auto decide = [&](bool all) {
    while (!held.empty() && (all || !may_continue_figures(language, held))) {
      const auto figures = find_figures(language, held, previous, to_english, all);
      const std::size_t words = figures ? figures->words : 1;
      read += (read.empty() ? "" : " ") +
              (figures ? figures->before + figures->text + figures->after : held.front());
      const auto end = held.begin() + static_cast<std::ptrdiff_t>(words);
      previous.insert(previous.end(), held.begin(), end);
      held.erase(held.begin(), end);
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
  for (int n = 101; n < 1000; ++n) {
    EXPECT_EQ(in_figures(numeral(n)), n % 100 == 0 ? numeral(n) : std::to_string(n));
  }
  EXPECT_EQ(in_figures("neunzehnhundertneunundachtzig"), "1989");
  EXPECT_EQ(in_figures("zwölfhundert"), "1200");
  EXPECT_EQ(in_figures("tausendeins"), "1001");
  EXPECT_EQ(in_figures("Tausendundzwanzig Leute"), "1020 Leute");
  EXPECT_EQ(in_figures("zwölftausendfünfhundert"), "12.500");
  EXPECT_EQ(in_figures("neunhundertneunundneunzigtausendneunhundertneunundneunzig"), "999.999");
  EXPECT_EQ(in_figures("ZWEITAUSENDDREISSIG"), "2030");
}

TEST(GermanFigures, NumbersThatARecogniserSplitsAreJoined) {
  EXPECT_EQ(in_figures("neunzehnhundert fünfundachtzig."), "1985.");
  EXPECT_EQ(in_figures("neunzehnhundert vierzehn bis neunzehnhundert achtzehn"), "1914 bis 1918");
  EXPECT_EQ(in_figures("zwölftausenddreihundert fünfzig Euro"), "12.350 Euro");
  EXPECT_EQ(in_figures("zweitausend dreihundertzwölf"), "2312");
  EXPECT_EQ(in_figures("zweitausend dreihundert zwölf Leute"), "2312 Leute");
  EXPECT_EQ(in_figures("hundert zwanzig Gäste"), "120 Gäste");
  EXPECT_EQ(in_figures("der hundert dreiundzwanzigste Psalm"), "der 123. Psalm");
  for (const std::string text :
       {"hundert ein paar", "hundert, zwanzig", "drei hundert zwanzig", "zweihundert dreihundert",
        "hundert zweihundert", "neun von hundert zehn Jahre später", "zehn dreiundzwanzigste"}) {
    EXPECT_EQ(in_figures(text), text);
  }
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
  EXPECT_EQ(in_figures("zwanzig Uhr null drei"), "8:03 p.m.");
  EXPECT_EQ(in_figures("um null Uhr dreißig"), "um 12:30 a.m.");
  EXPECT_EQ(in_figures("um 15 Uhr 20 Minuten Pause"), "um 3:00 p.m. 20 Minuten Pause");
  EXPECT_EQ(in_figures("ab achtzehn Uhr zehn Euro Eintritt"), "ab 6:00 p.m. zehn Euro Eintritt");
  EXPECT_EQ(in_figures("um 18 Uhr 24 Dezember"), "um 6:00 p.m. 24 Dezember");
  EXPECT_EQ(in_figures("um 12.15 Uhr nachts"), "um 12:15 nachts");
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
  for (const std::string text : {"drei hundertzwanzig",
                                 "halb voll",
                                 "halb, elf",
                                 "ein halb",
                                 "drei Busse",
                                 "die Elf",
                                 "um acht Uhr zwei Busse",
                                 "um 12 Uhr nachts",
                                 "12 Uhr Mitternacht",
                                 "heute Nacht um 12 Uhr",
                                 "um 12 Uhr in der Nacht",
                                 "um dreizehn Uhr acht hinunter",
                                 "um siebzehn Uhr elf",
                                 "um 17 Uhr 6 geht",
                                 "zwanzig Uhr null",
                                 "um acht Uhr zwanzig Leute",
                                 "halb ein Wunder, halb ein Witz",
                                 "im letzten Viertel drei Tore",
                                 "9 Uhr",
                                 "acht Uhr",
                                 "hundert Gäste",
                                 "zwanzig Leute",
                                 "dreihundert",
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
                           "hundert", "neunzehnhundert", "zweitausend dreihundert", "19 Uhr 30",
                           "19 Uhr null", "12:15 Uhr", "19 Uhr", "19 bis 20 Uhr", "neunzehn Uhr"}) {
    EXPECT_TRUE(waits(text)) << text;
  }
  for (const char* text : {"halb,", "Haus", "ein", "eine", "dreißig", "19,", "25", "300", "neunzig",
                           "drei und", "19 Uhr,", "19:30 Uhr", "19 Leute", "neunzehnhundert zehn",
                           "19 Uhr 30,", "19 bis,", "bis", "--"}) {
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
  EXPECT_EQ(english("7 to 9 p.m. daily"), "19:00 to 21:00 daily");
  EXPECT_EQ(english("between 5:30 and 7pm,"), "between 17:30 and 19:00,");
  EXPECT_EQ(english("11 to 1 p.m."), "11:00 to 13:00.");
  EXPECT_EQ(english("10 to 2 a.m. we"), "22:00 to 02:00 we");
  EXPECT_EQ(english("12 to 2 pm"), "12:00 to 14:00");
  EXPECT_EQ(english("7:30 p.m. is", /*to_english=*/true), "7:30 p.m. is");
}

TEST(EnglishFigures, PartsOfAnHour) {
  EXPECT_EQ(english("at half past ten."), "at 10:30.");
  EXPECT_EQ(english("(Half past 7) we"), "(7:30) we");
  EXPECT_EQ(english("ten past four"), "4:10");
  EXPECT_EQ(english("quarter past twelve"), "12:15");
  EXPECT_EQ(english("at quarter after one, then"), "at 1:15, then");
  EXPECT_EQ(english("it's a quarter to eleven"), "it's a 10:45");
  EXPECT_EQ(english("by quarter to one"), "by 12:45");
  EXPECT_EQ(english("half past ten", /*to_english=*/true), "half past ten");
}

TEST(EnglishFigures, TimesBeforeTheHalfOfTheDayInWords) {
  EXPECT_EQ(english("at half past seven in the evening, we"), "at 19:30 in the evening, we");
  EXPECT_EQ(english("at quarter to one in the morning"), "at 00:45 in the morning");
  EXPECT_EQ(english("at 7:30 in the evening."), "at 19:30 in the evening.");
  EXPECT_EQ(english("at 7 in the morning"), "at 07:00 in the morning");
  EXPECT_EQ(english("from 2 to 4 in the afternoon there"),
            "from 14:00 to 16:00 in the afternoon there");
  EXPECT_EQ(english("from 7:30 to 9 in the evening."), "from 19:30 to 21:00 in the evening.");
  EXPECT_EQ(english("at 7 or 8 in the evening"), "at 19:00 or 20:00 in the evening");
  EXPECT_EQ(english("from half past seven to half past nine in the evening"),
            "from 7:30 to 9:30 in the evening")
      << "the first is decided before the half of the day";
  EXPECT_EQ(english("from five till half past eight in the morning"),
            "from five till 08:30 in the morning");
  EXPECT_EQ(english("at half past seven p.m. we"), "at 19:30 we");
  EXPECT_EQ(english("at half past seven p.m."), "at 19:30.");
  EXPECT_EQ(english("quarter past nine am, then"), "09:15, then");
  EXPECT_EQ(english("it's 7 in the evening"), "it's 19:00 in the evening");
  const std::vector<std::string> later = words_of("7 in the evening with all of us");
  EXPECT_EQ(find_figures(FigureLanguage::kEnglish, later, {}, false, true).value().text, "19:00");
  EXPECT_EQ(english("half past seven in the hall"), "7:30 in the hall");
  EXPECT_EQ(english("half past seven, in the evening"), "7:30, in the evening");
  EXPECT_EQ(english("at 7 in the hall"), "at 7 in the hall");
  EXPECT_EQ(english("7:30 in the"), "7:30 in the");
  EXPECT_EQ(english("7:30 in, the evening"), "7:30 in, the evening");
  EXPECT_EQ(english("We had 5 in the morning"), "We had 5 in the morning");
  EXPECT_EQ(english("take 2 in the morning and 2 in the evening"),
            "take 2 in the morning and 2 in the evening");
}

TEST(EnglishFigures, WhatIsNoTimeOfDayStays) {
  for (const std::string text : {"7 people",
                                 "13 p.m.",
                                 "7:60 pm",
                                 "7:5 pm",
                                 "7, pm",
                                 "at 10:30",
                                 "pm",
                                 "p.m.",
                                 "7 p",
                                 "7a",
                                 "7 amps",
                                 "7 to 9 people",
                                 "7 and",
                                 "7, 8 to",
                                 "last quarter to three million",
                                 "from a quarter to one third",
                                 "a quarter after five years",
                                 "twenty five past ten",
                                 "seven p.m.",
                                 "half past one hundred people",
                                 "about a quarter to five percent",
                                 "half the hall",
                                 "half past",
                                 "half past, ten",
                                 "half to ten",
                                 "half past midnight",
                                 "quarter past 13",
                                 "quarter (to ten)",
                                 "quarter to (ten)",
                                 "quarter, to ten",
                                 "quarter final"}) {
    EXPECT_EQ(english(text), text);
  }
}

// An English numeral, as grammars have it.
std::string english_numeral(int n, const std::string& joint = "-") {
  static const std::vector<std::string> kSmall{
      "",         "one",     "two",     "three",     "four",     "five",    "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static const std::vector<std::string> kTens{"",      "",      "twenty",  "thirty", "forty",
                                              "fifty", "sixty", "seventy", "eighty", "ninety"};
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const auto rest = [&](int value) { return value > 0 ? " " + english_numeral(value, joint) : ""; };
  if (n >= 1000) {
    return english_numeral(n / 1000, joint) + " thousand" + rest(n % 1000);
  }
  if (n >= 100) {
    return english_numeral(n / 100, joint) + " hundred" + (n % 100 > 0 ? " and" : "") +
           rest(n % 100);
  }
  return n < 20 ? kSmall[at(n)]
                : kTens[at(n / 10)] + (n % 10 > 0 ? joint + kSmall[at(n % 10)] : "");
}

TEST(EnglishFigures, EveryLargeNumberHasItsValue) {
  for (int n = 1001; n < 9999; n += 3) {
    for (const char* joint : {"-", " "}) {
      const std::string words = english_numeral(n, joint);
      EXPECT_EQ(english(words + "."), (n % 1000 == 0 ? words : std::to_string(n)) + ".");
    }
  }
  for (int n = 101; n < 1000; ++n) {
    const std::string words = english_numeral(n);
    EXPECT_EQ(english(words + " people"), (n % 100 == 0 ? words : std::to_string(n)) + " people");
  }
  EXPECT_EQ(english("twelve thousand five hundred metres"), "12,500 metres");
  EXPECT_EQ(english("two hundred thousand and eight"), "200,008");
  EXPECT_EQ(english("one hundred and twenty three thousand four hundred"), "123,400");
  EXPECT_EQ(english("nineteen hundred euros"), "1900 euros");
  EXPECT_EQ(english("(Two thousand eight)"), "(2008)");
  EXPECT_EQ(english("three hundred sixty-five million"), "365 million");
  EXPECT_EQ(english("two hundred fifty and a half"), "250 and a half");
}

TEST(EnglishFigures, EveryYearInTwoPartsHasItsValue) {
  for (int year = 1610; year < 2000; ++year) {
    for (const char* joint : {"-", " "}) {
      if (year % 100 >= 10) {
        EXPECT_EQ(english("in " + english_numeral(year / 100) + " " +
                          english_numeral(year % 100, joint) + ", we"),
                  "in " + std::to_string(year) + ", we");
      }
    }
  }
  EXPECT_EQ(english("the nineteen eighty-nine revolution"), "the 1989 revolution");
  EXPECT_EQ(english("since twenty twenty two people"), "since 2022 people");
  EXPECT_EQ(english("by twenty thirty"), "by 2030");
  EXPECT_EQ(english("since twenty twenty a lot"), "since 2020 a lot");
  EXPECT_EQ(english("in nineteen forty a ship"), "in 1940 a ship");
  EXPECT_EQ(english("in nineteen ninety-eight people died"), "in 1998 people died");
  EXPECT_EQ(english("from nineteen forty until"), "from 1940 until");
  EXPECT_EQ(english("in fourteen ninety two Columbus"), "in 1492 Columbus");
  EXPECT_EQ(english("in twenty twenty two million people"), "in 2020 two million people");
  EXPECT_EQ(english("in nineteen fifty five percent were"), "in 1950 five percent were");
  EXPECT_EQ(english("in nineteen ninety three hundred people"), "in 1990 three hundred people");
  EXPECT_EQ(english("in nineteen oh five"), "in 1905");
  EXPECT_EQ(english("the nineteen eighties"), "the 1980s");
  EXPECT_EQ(english("between nineteen fourteen and nineteen eighteen we"),
            "between 1914 and nineteen eighteen we")
      << "a number after \"and\" is no year for sure";
}

TEST(EnglishFigures, OrdinalsHaveAnEnding) {
  EXPECT_EQ(english("the twenty-third of May"), "the 23rd of May");
  EXPECT_EQ(english("May twenty first,"), "May 21st,");
  EXPECT_EQ(english("on the thirty-first"), "on the 31st");
  EXPECT_EQ(english("July twenty-second"), "July 22nd");
  EXPECT_EQ(english("our seventy-fifth year"), "our 75th year");
}

TEST(EnglishFigures, OtherNumbersStay) {
  for (const std::string text : {"ninety-eight seats",
                                 "a thousand two hundred and fifty people",
                                 "five million two hundred and fifty",
                                 "until twelve thirty",
                                 "on July twenty twenty twenty six",
                                 "on July sixteen nineteen sixty nine",
                                 "on May fourteen nineteen forty eight we",
                                 "that is nineteen ninety-nine dollars",
                                 "you pay eighteen ninety five a month",
                                 "we won eighteen twenty five votes",
                                 "in fifteen twenty countries",
                                 "after fifteen twenty more minutes",
                                 "from fourteen thirty there is",
                                 "before sixteen forty five",
                                 "it's now seventeen forty two",
                                 "the sixteen forty five train",
                                 "Jeremiah seventeen twenty one says",
                                 "I bought two hundred and one of them",
                                 "thirty first responders",
                                 "twenty fifth graders",
                                 "by eleven forty five",
                                 "already eleven oh five",
                                 "in fifteen twenty minutes",
                                 "by fifteen twenty percent",
                                 "in twenty thirty years",
                                 "of fifteen twenty people",
                                 "of eighteen nineteen",
                                 "In August, sixteen twenty people",
                                 "nineteen eighty four point five",
                                 "between two thousand and twenty five hundred dollars",
                                 "between five hundred thousand and one million people",
                                 "two thousand eight million",
                                 "for nineteen ninety nine a month",
                                 "Matthew eighteen twenty one",
                                 "aged nineteen twenty one",
                                 "the thirty second mark",
                                 "the twenty-second clip",
                                 "in thirty second intervals",
                                 "thirty first class tickets",
                                 "one hundred and twenty-fifth",
                                 "two hundred and five hundred",
                                 "three hundred sixty fifth",
                                 "two hundred ten point five",
                                 "two hundred fifty thousand",
                                 "a twenty-second video",
                                 "fifteen sixteen people",
                                 "twenty twenty-five people",
                                 "nineteen thirty people",
                                 "eighteen nineteen twenty twenty-one",
                                 "at nineteen thirty",
                                 "page nineteen twenty-four",
                                 "in nineteen, ninety",
                                 "nineteen five",
                                 "twenty two",
                                 "three hundred, sixty",
                                 "two hundred and",
                                 "two thousand",
                                 "the twentieth century",
                                 "two thirds",
                                 "hundred and five",
                                 "oh five",
                                 "- two",
                                 "and"}) {
    EXPECT_EQ(english(text), text);
  }
}

TEST(EnglishFigures, OtherWordsDoNotWait) {
  const auto waits = [](const std::string& text) {
    return may_continue_figures(FigureLanguage::kEnglish, words_of(text));
  };
  for (const char* text :
       {"two", "nineteen", "nineteen ninety", "nineteen oh", "twenty", "half", "half past",
        "three hundred", "three hundred and", "two thousand and", "two hundred and five"}) {
    EXPECT_TRUE(waits(text)) << text;
  }
  for (const char* text :
       {"one of", "two,", "two people", "two and", "nineteen eighties", "and", "hundred", "a",
        "three hundred people", "half of", "twenty-third", "the", "twenty-second of", "oh",
        "half past ten,", "half past ten at", "7 people"}) {
    EXPECT_FALSE(waits(text)) << text;
  }
}

TEST(Figures, OtherLanguagesHaveNone) {
  EXPECT_EQ(in_figures("19:30 Uhr", true, figure_language("fr")), "19:30 Uhr");
  EXPECT_EQ(figure_language("de-AT"), FigureLanguage::kGerman);
  EXPECT_EQ(figure_language("deu"), FigureLanguage::kNone);
}

}  // namespace
}  // namespace surtitle
