// `--format auto`: the format is detected from the input.
#include <gmock/gmock.h>

#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AutodetectRecogniser, DetectsTextAtItsFirstLetter) {
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed("\n  "), IsEmpty());
  EXPECT_THAT(hearing.feed("G"), IsEmpty());
  EXPECT_THAT(hearing.feed("uten "), ElementsAre("Guten"));
  EXPECT_THAT(hearing.notes, IsEmpty());
}

// --- JSON is never taken for words ---

TEST(AutodetectRecogniser, BeginsTheFormatOfJsonAfterABanner) {
  const std::string bytes = "Verbunden.\n{\"partial\": \"guten\"}\n{\"text\": \"guten tag\"}\n";
  const auto heard = ElementsAre("Verbunden.", "~guten", "=guten tag");
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed(bytes), heard);
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("recognised as vosk;")));
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    ASSERT_THAT(hear_in_pieces("auto", bytes, random), heard);
  }
}

TEST(AutodetectRecogniser, SkipsJsonOfNoFormatBetweenWords) {
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed("gut {\"level\": \"in}fo\\\"\",\n \"at\": [1, -2e3]} so "),
              ElementsAre("gut", "so"));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("JSON of no known format is not translated")));
  EXPECT_THAT(hearing.feed("[{\"a\": null}] ja "), ElementsAre("ja"));
  EXPECT_THAT(hearing.finish(), IsEmpty());
  EXPECT_THAT(hearing.notes.back(), HasSubstr("skipped in total: 2 lines or messages"));
}

TEST(AutodetectRecogniser, KeepsWordsThatOnlyBeginLikeJson) {
  SpeechRule rule;
  rule.keep_marks = true;
  EXPECT_THAT(hear("auto", "a {lacht} [Zitat] { } [0] {", rule),
              ElementsAre("a", ".", "[lacht]", ".", "[Zitat]", ".", "[0]", ".", "{"));
}

TEST(AutodetectRecogniser, FindsTheWordsAfterJsonThatIsCutOff) {
  EXPECT_THAT(hear("auto", "a {\"b\": \"c\nDas ist\n{\"d\": Haus gut"),
              ElementsAre("a", "Das", "ist", "Haus", "gut"));
  EXPECT_THAT(hear("auto", "a {\"b\": "), ElementsAre("a"));
}

TEST(AutodetectRecogniser, ReadsAnArrayOfMessages) {
  EXPECT_THAT(hear("auto", "[ {\"partial\": \"gut\"},\n{\"text\": \"gut\"}]"),
              ElementsAre("~gut", "=gut"));
}

TEST(TextFormat, TranslatesJsonIfItIsAskedTo) {
  EXPECT_THAT(hear("text", "{\"a\": 1}"), ElementsAre("{\"a\":", "1}"));
}

TEST(AutodetectRecogniser, SeparatesNumbersThatAreWordsFromColumns) {
  EXPECT_THAT(hear("auto", "2024 war gut"), ElementsAre("2024", "war", "gut"));
  EXPECT_THAT(hear("auto", "12.5 Grad"), ElementsAre("12.5", "Grad"));
  EXPECT_THAT(hear("auto", "12"), ElementsAre("12"));
  EXPECT_THAT(hear("auto", "12.0000 20 300 40 Grad\n"), ElementsAre("40@0.3", "Grad@0.3"));
  EXPECT_THAT(hear("auto", "20 300 40 Grad\n"), ElementsAre("40@0.3", "Grad@0.3"));
  EXPECT_THAT(hear("auto", "1 2 Test\nguten Tag\n"), ElementsAre("1", "2", "Test", "guten", "Tag"));
  EXPECT_THAT(hear("auto", "10 30 Uhr\n"), ElementsAre("10", "30", "Uhr"));
}

TEST(AutodetectRecogniser, KeepsAnAmbiguousObjectUntilAnotherDecides) {
  Hearing hearing("auto");
  hearing.feed("{\"text\": \"\"}\n");
  EXPECT_THAT(hearing.notes, IsEmpty());
  EXPECT_THAT(hearing.feed("{\"partial\": \"guten\"}"), ElementsAre("~guten"));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("recognised as vosk;")));
  EXPECT_THAT(hear("auto", "{\"text\": \"\"}\n{\"text\": \"gut\"}\n"), ElementsAre("gut"));
}

TEST(AutodetectRecogniser, SeparatesDeepgramFromAssemblyAi) {
  EXPECT_THAT(hear("auto", R"({"type":"SpeechStarted","timestamp":1}{"type":"Turn","turn_order":0,)"
                           R"("end_of_turn":true,"transcript":"gut","words":[]})"),
              ElementsAre("=gut"));
}

TEST(AutodetectRecogniser, ReportsAnObjectOfNoFormat) {
  Hearing hearing("auto");
  EXPECT_EQ(hearing.failure("\n{\"words\": 3}"),
            "the input:2: message 1 has an unknown format; surtitle pipe --help lists the formats");
}

TEST(AutodetectRecogniser, ReportsAnInvalidFirstObject) {
  Hearing hearing("auto");
  EXPECT_THAT(hearing.failure("{\"text\" 3}"), HasSubstr("message 1 is not valid JSON"));
}

TEST(AutodetectRecogniser, OfNoInputHasNoMessages) { EXPECT_THAT(hear("auto", " \n"), IsEmpty()); }

}  // namespace
}  // namespace surtitle
