#include "daemon/recognisers/message_builder.h"

#include <gmock/gmock.h>

#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using protocol::ClientMessage;
using protocol::EndSentence;
using protocol::Hypothesis;
using protocol::Source;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr int kMessageBytes = 65536;
constexpr int kMessageWords = 2000;

ClientMessage source(const std::string& text, std::optional<double> time = std::nullopt) {
  return Source{0, text, time};
}

TEST(Heard, PutsWordsOfOneTimeTogether) {
  Heard heard(kMessageBytes, kMessageWords);
  heard.text("Guten Morgen mei", 1.5);
  heard.text("ne Damen ", 2.5);
  EXPECT_THAT(heard.take(), ElementsAre(source("Guten Morgen", 1.5), source("meine Damen", 2.5)));
  EXPECT_THAT(heard.take(), IsEmpty());
}

TEST(Heard, GivesAWordTheTimeOfItsLastPart) {
  Heard heard(kMessageBytes, kMessageWords);
  heard.text(" Guten", 1.5);
  heard.text(" Morgen", 2.5);
  EXPECT_THAT(heard.take(), ElementsAre(source("Guten", 1.5)));
  heard.end_word();
  EXPECT_THAT(heard.take(), ElementsAre(source("Morgen", 2.5)));
}

TEST(Heard, EndsASentenceOnce) {
  Heard heard(kMessageBytes, kMessageWords);
  heard.end_sentence();
  heard.text("eins");
  heard.end_sentence();
  heard.end_sentence();
  heard.final_text("zwei");
  heard.end_sentence();
  heard.final_text("drei", {}, /*ends_sentence=*/false);
  heard.final_text("");
  heard.final_text("");
  EXPECT_THAT(spell(heard.take()), ElementsAre("eins", ".", "=zwei", "+drei", "."));
}

TEST(Heard, SendsWhatWasCompleteBeforeAHypothesisFirst) {
  Heard heard(kMessageBytes, kMessageWords);
  heard.text("eins zw");
  heard.hypothesis("drei", 1.0);
  EXPECT_THAT(heard.take(),
              ElementsAre(source("eins zw"), ClientMessage(Hypothesis{"drei", false, 1.0})));
}

TEST(Heard, SettlesTheLastHypothesisAsItStands) {
  Heard heard(kMessageBytes, kMessageWords);
  heard.hypothesis("");  // nothing was heard
  heard.settle();
  heard.hypothesis("eins zwei", 2.0);
  heard.settle();
  heard.settle();
  EXPECT_THAT(spell(heard.take()), ElementsAre("~eins zwei@2", "=eins zwei@2"));
}

TEST(Heard, KeepsEveryMessageBelowTheServersBytes) {
  constexpr int kLimit = 400;
  Heard heard(kLimit, kMessageWords);
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "\x01\x02" + std::to_string(i) + " ";  // control characters grow in JSON
  }
  heard.text(text);
  std::string joined;
  for (const ClientMessage& message : heard.take()) {
    EXPECT_THAT(to_json(message).size(), Le(kLimit));
    joined += std::get<Source>(message).text + " ";
  }
  EXPECT_EQ(joined, text);
}

TEST(Heard, KeepsEveryMessageBelowTheServersWords) {
  Heard heard(kMessageBytes, 2);
  heard.text("a b c d e\n");
  EXPECT_THAT(heard.take(), ElementsAre(source("a b"), source("c d"), source("e")));
}

// A recogniser without endpoints never stops: its text grows for hours.
TEST(Heard, SettlesTheBeginningOfAHypothesisThatGrowsForEver) {
  Heard heard(kMessageBytes, 20);
  std::string text;
  std::string settled;
  std::string last;
  for (int i = 0; i < 500; ++i) {
    text += "w" + std::to_string(i) + " ";
    heard.hypothesis(text);
    for (const ClientMessage& message : heard.take()) {
      const auto& hypothesis = std::get<Hypothesis>(message);
      ASSERT_THAT(split_words(hypothesis.text), SizeIs(Le(20U)));
      ASSERT_TRUE(!hypothesis.final || !hypothesis.end_sentence);
      (hypothesis.final ? settled : last) =
          (hypothesis.final ? settled : "") + hypothesis.text + " ";
    }
  }
  EXPECT_EQ(settled + last, text);
  heard.final_text(text);
  heard.hypothesis("neu");
  EXPECT_EQ(spell(heard.take()).back(), "~neu");
}

TEST(Heard, ReplacesWhatIsNotUtf8) {
  Heard heard(kMessageBytes, kMessageWords);
  heard.text("gut\xFF ");
  heard.hypothesis("sch\xC3");
  EXPECT_THAT(spell(heard.take()), ElementsAre("gut\uFFFD", "~sch\uFFFD"));
  EXPECT_EQ(heard.replaced(), 2);
}

}  // namespace
}  // namespace surtitle
