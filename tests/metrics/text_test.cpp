#include "metrics/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/json_number.h"

namespace surtitle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PythonText, SplitsAtEveryKindOfWhiteSpace) {
  EXPECT_THAT(python_split(" a\tb\u00A0c\u3000d\x1C"
                           "e\n"),
              ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(python_split("zero\u200Bwidth"), ElementsAre("zero\u200Bwidth"));
  EXPECT_THAT(python_split(" \u2028 "), IsEmpty());
  EXPECT_THAT(python_split(""), IsEmpty());
}

TEST(PythonText, StripsTheEndOnly) {
  EXPECT_EQ(python_rstrip(" a b \u2003\n"), " a b");
  EXPECT_EQ(python_rstrip("\n"), "");
}

TEST(PythonText, DecodesEveryLengthOfCharacter) {
  EXPECT_EQ(decode_utf8("a\u00E9\u20AC\U0001F600"), U"a\u00E9\u20AC\U0001F600");
}

TEST(PythonText, EachByteOfNoCharacterBecomesOneReplacement) {
  EXPECT_EQ(decode_utf8("\xFFz"), U"\uFFFDz");
  EXPECT_EQ(decode_utf8("\xC0\x80"), U"\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD");  // surrogate
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80").size(), 4U);          // above U+10FFFF
  EXPECT_EQ(decode_utf8("\xE2\x82"), U"\uFFFD\uFFFD");            // cut off
}

TEST(JsonNumber, IsShortestTextAndNullForWhatJsonLacks) {
  EXPECT_EQ(json_number(3.0), "3");
  EXPECT_EQ(json_number(-2.5), "-2.5");
  EXPECT_EQ(json_number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(json_number(std::nullopt), "null");
  EXPECT_EQ(json_number(1.0 / 0.0), "null");
}

}  // namespace
}  // namespace surtitle
