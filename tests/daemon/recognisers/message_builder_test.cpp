#include "daemon/recognisers/message_builder.h"

#include <gmock/gmock.h>

#include "daemon/base/text.h"
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

constexpr int kMessageBytes = 65536;
constexpr int kMessageWords = 2000;

ClientMessage source(const std::string& text, std::optional<double> time = std::nullopt) {
  return Source{0, text, time};
}

TEST(MessageBuilder, JoinsWordsOfOneTime) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  builder.text("Guten Morgen mei", 1.5);
  builder.text("ne Damen ", 2.5);
  EXPECT_THAT(builder.drain(),
              ElementsAre(source("Guten Morgen", 1.5), source("meine Damen", 2.5)));
  EXPECT_THAT(builder.drain(), IsEmpty());
}

TEST(MessageBuilder, WordHasTheTimeOfItsLastPart) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  builder.text(" Guten", 1.5);
  builder.text(" Morgen", 2.5);
  EXPECT_THAT(builder.drain(), ElementsAre(source("Guten", 1.5)));
  builder.end_word();
  EXPECT_THAT(builder.drain(), ElementsAre(source("Morgen", 2.5)));
}

TEST(MessageBuilder, EndsASentenceOnce) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  builder.end_sentence();
  builder.text("eins");
  builder.end_sentence();
  builder.end_sentence();
  builder.final_text("zwei");
  builder.end_sentence();
  builder.final_text("drei", {}, /*ends_sentence=*/false);
  builder.final_text("");
  builder.final_text("");
  EXPECT_THAT(spell(builder.drain()), ElementsAre("eins", ".", "=zwei", "+drei", "."));
}

TEST(MessageBuilder, SendsCompleteWordsBeforeAHypothesis) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  builder.text("eins zw");
  builder.hypothesis("drei", 1.0);
  EXPECT_THAT(builder.drain(),
              ElementsAre(source("eins zw"), ClientMessage(Hypothesis{"drei", false, 1.0})));
}

TEST(MessageBuilder, FinalizesTheLastHypothesisUnchanged) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  builder.hypothesis("");  // no words
  builder.finalize();
  builder.hypothesis("eins zwei", 2.0);
  builder.finalize();
  builder.finalize();
  EXPECT_THAT(spell(builder.drain()), ElementsAre("~eins zwei@2", "=eins zwei@2"));
}

TEST(MessageBuilder, KeepsEveryMessageWithinTheServersBytes) {
  constexpr int kLimit = 400;
  MessageBuilder builder(kLimit, kMessageWords);
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "\"\\" + std::to_string(i) + " ";  // these characters grow in JSON
  }
  builder.text(text);
  std::string joined;
  for (const ClientMessage& message : builder.drain()) {
    EXPECT_THAT(to_json(message).size(), Le(kLimit));
    joined += std::get<Source>(message).text + " ";
  }
  EXPECT_EQ(joined, text);
}

TEST(MessageBuilder, KeepsEveryMessageWithinTheServersWords) {
  MessageBuilder builder(kMessageBytes, 2);
  builder.text("a b c d e\n");
  EXPECT_THAT(builder.drain(), ElementsAre(source("a b"), source("c d"), source("e")));
}

// The text of a recogniser without endpoints grows for hours.
TEST(MessageBuilder, SendsTheEndOfAGrowingHypothesis) {
  MessageBuilder builder(kMessageBytes, 20);
  std::vector<std::string> words;
  for (int i = 0; i < 500; ++i) {
    words.push_back("w" + std::to_string(i));
    builder.hypothesis(join_words(words));
    const std::size_t first = words.size() - std::min<std::size_t>(words.size(), 20);
    ASSERT_THAT(
        builder.drain(),
        ElementsAre(ClientMessage(Hypothesis{join_words(words, first, words.size()), false})));
  }
  builder.final_text(join_words(words));
  builder.hypothesis("neu");
  EXPECT_EQ(spell(builder.drain()).back(), "~neu");
}

TEST(MessageBuilder, SendsALongHypothesisInWindowsThatOverlap) {
  MessageBuilder builder(kMessageBytes, 4);
  builder.final_text("a b c d e f g h");
  EXPECT_THAT(spell(builder.drain()), ElementsAre("~a b c d", "~c d e f", "=e f g h"));
}

TEST(MessageBuilder, KeepsHypothesesWithinTheServersBytes) {
  constexpr int kLimit = 400;
  MessageBuilder builder(kLimit, kMessageWords);
  builder.hypothesis("a b c d e f " + std::string(40, 'g') + " h i j k");
  for (const ClientMessage& message : builder.drain()) {
    EXPECT_THAT(to_json(message).size(), Le(kLimit));
  }
}

TEST(MessageBuilder, ReplacesInvalidUtf8) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  builder.text("gut\xFF ");
  builder.hypothesis("sch\xC3");
  EXPECT_THAT(spell(builder.drain()), ElementsAre("gut\uFFFD", "~sch\uFFFD"));
  EXPECT_EQ(builder.replaced(), 2);
}

}  // namespace
}  // namespace surtitle
