#include "daemon/pipe_input.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace surtitle {
namespace {

using protocol::ClientMessage;
using protocol::EndSentence;
using protocol::Hypothesis;
using protocol::Source;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using Messages = std::vector<ClientMessage>;

constexpr int kMessageBytes = 65536;
constexpr int kMessageWords = 2000;

Messages feed(PipeInput& input, std::string_view bytes) {
  Messages messages;
  input.feed(bytes, messages);
  return messages;
}

Messages finish(PipeInput& input) {
  Messages messages;
  input.finish(messages);
  return messages;
}

ClientMessage source(std::int64_t seq, const std::string& text,
                     std::optional<double> time = std::nullopt) {
  return Source{seq, text, time};
}

std::string failure(PipeInput& input, std::string_view bytes, Messages& messages) {
  try {
    input.feed(bytes, messages);
    return "nothing was thrown";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(PipeInputText, SendsWordsAsSoonAsTheyAreComplete) {
  PipeInput input(PipeFormat::kText, kMessageBytes, kMessageWords);
  EXPECT_THAT(feed(input, "Guten Morgen mei"), ElementsAre(source(1, "Guten Morgen")));
  EXPECT_THAT(feed(input, "ne"), IsEmpty());
  EXPECT_THAT(feed(input, "\nDamen "), ElementsAre(source(2, "meine Damen")));
  EXPECT_THAT(feed(input, "und"), IsEmpty());
  EXPECT_THAT(finish(input), ElementsAre(source(3, "und")));
}

TEST(PipeInputText, EndsTheSentenceAtABlankLine) {
  PipeInput input(PipeFormat::kText, kMessageBytes, kMessageWords);
  EXPECT_THAT(feed(input, "eins\nzwei\n\ndrei\n"),
              ElementsAre(source(1, "eins zwei"), ClientMessage(EndSentence()), source(2, "drei")));
  EXPECT_THAT(feed(input, "\n"), ElementsAre(ClientMessage(EndSentence())));
}

TEST(PipeInputText, KeepsEveryMessageBelowTheServersLimit) {
  constexpr int kLimit = 400;
  PipeInput input(PipeFormat::kText, kLimit, kMessageWords);
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "\x01\x02" + std::to_string(i) + " ";  // control characters grow in JSON
  }
  const Messages messages = feed(input, text);
  std::string joined;
  for (const ClientMessage& message : messages) {
    EXPECT_THAT(to_json(message).size(), Le(kLimit));
    joined += std::get<Source>(message).text + " ";
  }
  EXPECT_EQ(joined, text);
}

TEST(PipeInputText, KeepsEveryMessageBelowTheServersWords) {
  PipeInput input(PipeFormat::kText, kMessageBytes, 2);
  EXPECT_THAT(feed(input, "a b c d e\n"),
              ElementsAre(source(1, "a b"), source(2, "c d"), source(3, "e")));
}

TEST(PipeInputJsonLines, TakesWordsAndHypotheses) {
  PipeInput input(PipeFormat::kJsonLines, kMessageBytes, kMessageWords);
  EXPECT_THAT(feed(input, "{\"text\": \"Guten Morgen\", \"time\": 1.25}\n{\"text\": \"al"),
              ElementsAre(source(1, "Guten Morgen", 1.25)));
  EXPECT_THAT(feed(input, "le\", \"final\": false}\r\n"),
              ElementsAre(ClientMessage(Hypothesis{"alle", false})));
  EXPECT_THAT(feed(input, "{\"text\": \"alle da\", \"final\": true, \"speaker\": 3}"), IsEmpty());
  EXPECT_THAT(finish(input), ElementsAre(ClientMessage(Hypothesis{"alle da", true})));
}

TEST(PipeInputJsonLines, EndsTheSentenceAtABlankLine) {
  PipeInput input(PipeFormat::kJsonLines, kMessageBytes, kMessageWords);
  EXPECT_THAT(feed(input, "\n{\"text\": \"eins\"}\n\n\n"),
              ElementsAre(source(1, "eins"), ClientMessage(EndSentence())));
}

TEST(PipeInputJsonLines, TakesOtherLinesForWords) {
  PipeInput input(PipeFormat::kJsonLines, kMessageBytes, kMessageWords);
  EXPECT_THAT(feed(input, "Guten Morgen\n\n"),
              ElementsAre(source(1, "Guten Morgen"), ClientMessage(EndSentence())));
}

TEST(PipeInputJsonLines, NamesTheLineThatIsWrongAndKeepsWhatCameBefore) {
  PipeInput input(PipeFormat::kJsonLines, kMessageBytes, kMessageWords);
  Messages messages;
  EXPECT_THAT(failure(input, "{\"text\": \"gut\"}\n\n{\"txt\": \"x\"}\n", messages),
              HasSubstr("standard input:3: field text is missing"));
  EXPECT_THAT(messages, ElementsAre(source(1, "gut"), ClientMessage(EndSentence())));
  EXPECT_THAT(failure(input, "{\"text\": 3}\n", messages), HasSubstr("field text must be text"));
  EXPECT_THAT(failure(input, "{\"text\": \"a\", \"time\": -1}\n", messages),
              HasSubstr("field time must be a number of seconds"));
  EXPECT_THAT(failure(input, "{\"text\": \"a\", \"final\": 1}\n", messages),
              HasSubstr("field final must be true or false"));
  EXPECT_THAT(failure(input, "{\"text\": \"\xFF\"}\n", messages),
              HasSubstr("standard input:7: the line is not valid JSON"));
}

TEST(PipeInputJsonLines, RefusesALineWithoutEnd) {
  PipeInput input(PipeFormat::kJsonLines, kMessageBytes, kMessageWords);
  Messages messages;
  EXPECT_THAT(failure(input, "{" + std::string(PipeInput::kLongestLine, ' '), messages),
              HasSubstr("standard input:1: the line is longer than"));
}

}  // namespace
}  // namespace surtitle
