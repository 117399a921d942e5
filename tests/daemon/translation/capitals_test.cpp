#include "daemon/translation/capitals.h"

#include <gtest/gtest.h>

#include "daemon/base/text.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

// Returns the words of the texts, which arrive one after the other, as a model reads them.
std::string lowered(const std::vector<std::string>& texts) {
  Capitals capitals;
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    const std::vector<std::string_view> words = split_words(text);
    const std::vector<bool> marks = capitals.mark(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      all.push_back(marks[i] ? lower_word(words[i]) : std::string(words[i]));
    }
  }
  return join_words(all);
}

TEST(Capitals, AreLoweredInATextOfThem) {
  EXPECT_EQ(lowered({"GUTEN MORGEN, MEINE DAMEN. WIR GRÜßEN SIE. - 3 X"}),
            "guten morgen, meine damen. wir grüßen sie. - 3 x");
  EXPECT_EQ(lowered({"ÜBER", "DAS WETTER", "HEUTE"}), "ÜBER das wetter heute");
  EXPECT_EQ(lowered({"GUTEN MORGEN ALLE. Und Sie?"}), "guten morgen alle. Und Sie?");
}

TEST(Capitals, OfNamesAndAbbreviationsStay) {
  for (const std::string text : {"Die EU und die USA", "NATO, EU, UN und WHO", "CDU CSU SPD FDP",
                                 "UNICEF hilft. DANKE SEHR", "A B C"}) {
    EXPECT_EQ(lowered({text}), text);
  }
}

TEST(Capitals, ScriptsWithoutThemStay) { EXPECT_EQ(lowered({"日本 語 です"}), "日本語です"); }

TEST(Capitals, AreExpectedByTheWholeHypothesis) {
  Capitals capitals;
  capitals.expect(split_words("GUTEN MORGEN MEINE DAMEN"));
  EXPECT_EQ(capitals.mark({"GUTEN"}), std::vector<bool>{true});
  capitals.expect(split_words("GUTEN"));
  EXPECT_EQ(capitals.mark({"MORGEN"}), std::vector<bool>{true});
}

}  // namespace
}  // namespace surtitle
