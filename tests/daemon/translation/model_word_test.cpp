#include "daemon/translation/model_word.h"

#include <gtest/gtest.h>

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
  for (const char* word : {"[Applaus]", "[sic]", "(lacht)", "*seufzt*", "<unk>"}) {
    EXPECT_EQ(model_word(word), "");
  }
  EXPECT_EQ(model_word("[Musik]Guten"), "Guten");
}

TEST(ModelWord, KeepsTextAndKnownSigns) {
  for (const char* word : {"",    "Guten", "Müller's",      "3<5",    "+", "=", "°C",  "→", "[3]",
                           "(a)", "[",     "Kolleg[inn]en", "[offen", "–", "…", "100", "%", "€",
                           "/",   "a~b",   "C++",           "日本"}) {
    EXPECT_EQ(model_word(word), word);
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
  EXPECT_EQ(first_unread("[Sprecher 1]: Guten Tag"), "[Sprecher 1]");
  EXPECT_EQ(first_unread("a[i] ist [3] und [offen"), "");
}

TEST(FirstUnread, IsAWordOfUnknownSigns) {
  EXPECT_EQ(first_unread("3 <= 5"), "<=");
  EXPECT_EQ(first_unread("~"), "~");
  EXPECT_EQ(first_unread("a<b ~c > d"), ">");
  EXPECT_EQ(first_unread("a + b = c <d>"), "");
}

}  // namespace
}  // namespace surtitle
