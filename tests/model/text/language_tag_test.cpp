#include "model/text/language_tag.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

TEST(LanguageTag, HasItsUsualSpelling) {
  EXPECT_EQ(canonical_language("de"), "de");
  EXPECT_EQ(canonical_language("DE"), "de");
  EXPECT_EQ(canonical_language("de_at"), "de-AT");
  EXPECT_EQ(canonical_language("ZH-hant-tw"), "zh-Hant-TW");
  EXPECT_EQ(canonical_language("es-419"), "es-419");
  EXPECT_EQ(canonical_language("DE-1996-X-Ab"), "de-1996-x-ab");
  EXPECT_EQ(canonical_language("gsw-CH"), "gsw-CH");
}

TEST(LanguageTag, OtherTextIsNone) {
  for (const char* text : {"", "d", "-", "de-", "-de", "de--AT", "de AT", "d1", "abcdefghi", "dé",
                           "de-abcdefghi", "de-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd"}) {
    EXPECT_EQ(canonical_language(text), std::nullopt) << text;
  }
}

TEST(LanguageTag, MatchesTheSameLanguageInAnySpelling) {
  EXPECT_EQ(match_languages("de", "DE"), LanguageMatch::kSame);
  EXPECT_EQ(match_languages("pt-BR", "pt_br"), LanguageMatch::kSame);
  EXPECT_EQ(match_languages("de", "de_AT"), LanguageMatch::kPrefix);
  EXPECT_EQ(match_languages("pt-BR", "pt"), LanguageMatch::kPrefix);
  EXPECT_EQ(match_languages("de-CH", "de-AT"), LanguageMatch::kLanguage);
  EXPECT_EQ(match_languages("zh-TW", "zh-Hant"), LanguageMatch::kLanguage);
  EXPECT_EQ(match_languages("zh-Hans", "zh-Hant"), LanguageMatch::kNone);
  EXPECT_EQ(match_languages("de", "en"), LanguageMatch::kNone);
  EXPECT_EQ(match_languages("de", "del"), LanguageMatch::kNone);
}

}  // namespace
}  // namespace surtitle
