#include "daemon/translation/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

using protocol::ErrorCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using namespace std::string_literals;

TEST(Session, TranslatesASentence) {
  ScriptedStream stream;
  stream.source("Guten Morgen.");
  stream.run();
  EXPECT_THAT(write_fields(stream),
              ElementsAre(WriteFields{0, 0, "GUTE", 1, 1}, WriteFields{0, 1, "N", 2, 1},
                          WriteFields{0, 2, " MORG", 3, 2}, WriteFields{0, 3, "EN.", 4, 2}));
  const auto sentences = stream.all<protocol::Sentence>();
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_EQ(sentences[0].source, "Guten Morgen.");
  EXPECT_EQ(sentences[0].target, "GUTEN MORGEN.");
  EXPECT_EQ(sentences[0].words.al, 1.0);  // delays 1 2 over two words
  EXPECT_EQ(sentences[0].words.ap, 0.75);
  EXPECT_EQ(sentences[0].tokens.al, 1.0);
}

// The scripted tokenizer has one piece for the first 4 characters.
TEST(Session, CharactersAreWordsWithoutSpaces) {
  ScriptedStream stream;
  stream.source("今天很好。明");
  stream.source("天见 iPhone 吗？");
  stream.run();
  const auto sentences = stream.all<protocol::Sentence>();
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0].source, "今天很好。");
  EXPECT_EQ(sentences[1].source, "明天见 iPhone 吗？");
  EXPECT_EQ(stream.session().source_words(), 4 + 3 + 1 + 1);
  const auto writes = write_fields(stream);
  // The piece of four characters is of the last of them, with its sign.
  EXPECT_EQ(writes[0], (WriteFields{0, 0, "今天很好", 1, 4}));
  EXPECT_EQ(sentences[0].target, "今天很好。");
}

// The scripted translation has the spaces that the tokenizer received.
TEST(Session, SpacesBetweenPhrasesReachTheModelOfLanguagesWithoutSpaces) {
  for (const auto& [source, target] : std::vector<std::pair<std::string, std::string>>{
           {"ดี กี", "ดี กี"}, {"ดีกี", "ดีกี"}, {"ດີ ດີ", "ດີ ດີ"}, {"今 天", "今天"}}) {
    ScriptedStream stream;
    stream.source(source);
    EXPECT_EQ(stream.receive(protocol::EndSentence{2}), std::nullopt);
    stream.run();
    const auto sentences = stream.all<protocol::Sentence>();
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_EQ(sentences[0].target, target);
    EXPECT_EQ(stream.session().source_words(), 2);
  }
}

TEST(Session, AcknowledgesEverySourceMessageAfterItsWords) {
  ScriptedStream stream;
  stream.source("Guten");
  ASSERT_EQ(stream.outgoing().size(), 2U);
  EXPECT_EQ(stream.outgoing()[0].audience, Audience::kViewers);
  EXPECT_EQ(stream.outgoing()[0].message,
            protocol::ServerMessage(protocol::SourceMessage{0, "Guten", 0.0}));
  EXPECT_EQ(stream.outgoing()[1].message, protocol::ServerMessage(protocol::Ack{1}));
}

TEST(Session, SendsViewersTheWordsOfEachSentenceWithTheirTime) {
  ScriptedStream stream;
  stream.receive(protocol::Source{1, "Ja. Nein. Und", 1.5});
  EXPECT_THAT(
      stream.all<protocol::SourceMessage>(),
      ElementsAre(protocol::SourceMessage{0, "Ja.", 1.5}, protocol::SourceMessage{1, "Nein.", 1.5},
                  protocol::SourceMessage{2, "Und", 1.5}));
  stream.receive(protocol::Hypothesis{"so weiter", true});
  EXPECT_EQ(stream.all<protocol::SourceMessage>().back(),
            (protocol::SourceMessage{2, "so weiter", 1.5}));
}

TEST(Session, SendsViewersTheArrivalTimeOfWords) {
  ScriptedStream stream;
  stream.wait(Seconds(0.25));
  stream.source("Ja. Nein");
  stream.wait(Seconds(0.5));
  stream.receive(protocol::Hypothesis{"doch", false});
  stream.receive(protocol::Finish{});
  EXPECT_THAT(stream.all<protocol::SourceMessage>(),
              ElementsAre(protocol::SourceMessage{0, "Ja.", 0.25, 250},
                          protocol::SourceMessage{1, "Nein", 0.25, 250},
                          protocol::SourceMessage{1, "doch", 0.75, 750}));
}

TEST(Session, MetricsFollowEachCompletedWord) {
  ScriptedStream stream("wait-k:k=2");
  stream.source("Ja nein doch.");
  stream.run();
  const auto metrics = stream.all<protocol::Metrics>();
  ASSERT_EQ(metrics.size(), 3U);
  EXPECT_EQ(metrics[0].sentences, 0);
  EXPECT_EQ(metrics[2].scores.cw, 1.5);  // delays 2 3 3
  ScriptedStream next("wait-k:k=2");
  next.source("Ja nein doch. Ja.");
  next.run();
  EXPECT_EQ(next.all<protocol::Metrics>()[3].sentences, 1);
  EXPECT_EQ(next.all<protocol::Metrics>()[3].stream.cw, 1.5);
}

TEST(Session, WritesOfALaterSentenceWaitForTheEarlierOne) {
  ScriptedStream stream("full-sentence");
  stream.source("Eins zwei drei vier fünf sechs. Ja.");
  EXPECT_EQ(stream.open_in_translator(), 2U);
  stream.run();
  int last = 0;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    EXPECT_GE(write.sentence, last);
    last = write.sentence;
  }
  EXPECT_THAT(stream.targets(), ElementsAre("EINS ZWEI DREI VIER FüNF SECHS.", "JA."));
}

// The scripted tokenizer has one piece for the first 4 letters of a word and for each 32 others.
TEST(Session, CountsLongWordsByTheirPieces) {
  ScriptedStream stream;
  stream.source("Guten Tag");
  EXPECT_EQ(stream.session().queued_words(), 2);
  stream.source(std::string(4 + 32 * 11, 'a') + " Ja.");
  EXPECT_EQ(stream.session().source_words(), 4);
  EXPECT_EQ(stream.session().source_pieces(), 2 + 1 + 12 + 1);
  EXPECT_EQ(stream.session().queued_words(), 4);
  stream.source(std::string(4 + 32 * 11, 'o') + ".");
  EXPECT_EQ(stream.session().queued_words(), 4 + 4);
  stream.run();
  EXPECT_EQ(stream.session().queued_words(), 0);
}

TEST(Session, KeepsFewSentencesInTheTranslator) {
  ScriptedStream stream;
  stream.source("A1. B1. C1. D1. E1.");
  EXPECT_EQ(stream.open_in_translator(), 2U);
  EXPECT_EQ(stream.session().queued_words(), 5);
  stream.run();
  EXPECT_EQ(stream.targets().size(), 5U);
  EXPECT_EQ(stream.session().queued_words(), 0);
}

TEST(Session, EndsASentenceAfterSilence) {
  ScriptedStream stream;
  stream.source("Guten Tag");
  EXPECT_EQ(stream.session().deadline(), stream.now() + std::chrono::seconds(2));
  stream.wait(Seconds(1.9));
  stream.run();
  EXPECT_TRUE(stream.targets().empty());
  stream.wait(Seconds(0.1));
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG"));
  EXPECT_EQ(stream.session().deadline(), std::nullopt);
}

TEST(Session, SilenceCanBeOff) {
  SessionOptions options;
  options.silence = Seconds(0);
  ScriptedStream stream("gma", options);
  stream.source("Guten");
  EXPECT_EQ(stream.session().deadline(), std::nullopt);
}

TEST(Session, EndsASentenceOnRequestAndAfterAFinalHypothesis) {
  ScriptedStream stream;
  stream.source("Guten Tag");
  EXPECT_EQ(stream.receive(protocol::EndSentence()), std::nullopt);
  EXPECT_EQ(stream.receive(protocol::EndSentence()), std::nullopt);  // nothing is open
  EXPECT_EQ(stream.receive(protocol::Hypothesis{"meine da", false}), std::nullopt);
  EXPECT_EQ(stream.receive(protocol::Hypothesis{"meine damen", true}), std::nullopt);
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG", "MEINE DAMEN"));
}

TEST(Session, FinishTranslatesTheOpenSentenceAndCompletes) {
  ScriptedStream stream;
  stream.source("Guten Tag");
  EXPECT_EQ(stream.receive(protocol::Finish()), std::nullopt);
  EXPECT_FALSE(stream.session().complete());
  stream.run();
  EXPECT_TRUE(stream.session().complete());
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG"));
}

TEST(Session, FinishMakesTheLastHypothesisFinal) {
  ScriptedStream stream;
  stream.receive(protocol::Hypothesis{"guten tag", false});
  stream.receive(protocol::Hypothesis{"guten tag meine", false});
  EXPECT_EQ(stream.receive(protocol::Finish()), std::nullopt);
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG MEINE"));
}

TEST(Session, ContinuesASentenceThatFinalWordsDoNotEnd) {
  ScriptedStream stream;
  stream.receive(protocol::Hypothesis{"guten", true, {}, /*end_sentence=*/false});
  stream.receive(protocol::Hypothesis{"guten", false});
  stream.receive(protocol::Hypothesis{"guten tag", true, 2.5});
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN GUTEN TAG"));
  EXPECT_EQ(stream.all<protocol::SourceMessage>().back(),
            (protocol::SourceMessage{0, "guten tag", 2.5}));
}

TEST(Session, CommitsWordsAsItsAgreementRequires) {
  SessionOptions options;
  options.agreement = 1;
  ScriptedStream stream("gma", options);
  stream.receive(protocol::Hypothesis{"guten morgen meine", false});
  EXPECT_EQ(stream.session().source_words(), 2);
}

TEST(Session, ReportsARevisionInItsSentenceAndKeepsTheWords) {
  ScriptedStream stream;
  stream.receive(protocol::Hypothesis{"ja. das ist gut", false});
  stream.receive(protocol::Hypothesis{"ja. das ist gut so", false});
  stream.receive(protocol::Hypothesis{"na. dass is gut so", false});
  EXPECT_THAT(stream.all<protocol::Revision>(),
              ElementsAre(protocol::Revision{0, "ja. das ist", "na. dass is"}));
  stream.receive(protocol::Hypothesis{"na. dass is gut so", true});
  EXPECT_EQ(stream.session().revisions(), 3);
  stream.receive(protocol::Hypothesis{"eins zwei drei", false});
  stream.receive(protocol::Hypothesis{"eins zwei drei", false});
  stream.receive(protocol::Hypothesis{"eins zwo drei", true});
  EXPECT_EQ(stream.all<protocol::Revision>().back(), (protocol::Revision{2, "zwei", "zwo"}));
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("JA.", "DAS IST GUT SO", "EINS ZWEI DREI"));
}

TEST(Session, RejectsAMessageWithTooManyWords) {
  SessionOptions options;
  options.message_words = 3;
  ScriptedStream stream("gma", options);
  stream.source("ja. ja. ja.");
  const auto source = stream.receive(protocol::Source{2, "a b c d", {}});
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->code, ErrorCode::kMessageTooLarge);
  EXPECT_THAT(source->message, HasSubstr("4 words"));
  const auto hypothesis = stream.receive(protocol::Hypothesis{"a b c d", true});
  ASSERT_TRUE(hypothesis.has_value());
  EXPECT_EQ(hypothesis->code, ErrorCode::kMessageTooLarge);
}

TEST(Session, RejectsMessagesOutOfOrder) {
  ScriptedStream stream;
  EXPECT_EQ(stream.receive(protocol::Start{})->code, ErrorCode::kOutOfOrder);
  stream.source("Eins");
  const auto error = stream.receive(protocol::Source{1, "zwei", {}});
  EXPECT_EQ(error->code, ErrorCode::kBadSequence);
  EXPECT_THAT(error->message, HasSubstr("above 1"));
  stream.receive(protocol::Finish());
  EXPECT_EQ(stream.receive(protocol::Source{9, "drei", {}})->code, ErrorCode::kOutOfOrder);
  EXPECT_EQ(stream.receive(protocol::Finish()), std::nullopt) << "the first one may have been lost";
}

// As in the input of `surtitle pipe`, whatever program sent it.
TEST(Session, ReceivesNoControlCharacters) {
  ScriptedStream stream;
  stream.source("Gu\0ten \x1b[31mTag\x1b[0m \u009b1mso\u0080 \u0001 Morben\b\b\bgen\x7f."s);
  stream.receive(protocol::Hypothesis{"a\x1b]0;Titel\ab c\u0000d"s, true, {}});
  stream.receive(protocol::Finish());
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG SO MORGEN.", "AB CD"));
  EXPECT_EQ(stream.all<protocol::Sentence>().front().source, "Guten Tag so Morgen.");
}

TEST(Session, SplitsASentenceThatIsTooLongAndLosesNothing) {
  SessionOptions options;
  options.sentence_words = 3;
  ScriptedStream stream("gma", options);
  stream.source("a1 b2 c3 d4 e5 f6 g7");
  stream.receive(protocol::Finish());
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("A1 B2 C3", "D4 E5 F6", "G7"));
  const auto notices = stream.all<protocol::Error>();
  ASSERT_EQ(notices.size(), 2U);
  EXPECT_EQ(notices[0].code, ErrorCode::kSentenceTooLong);
}

TEST(Session, SplitsWordsAndSentencesWithTooManyTokens) {
  ScriptedStream stream("gma", {}, /*sentence_tokens=*/4);
  stream.source("langes langes langes");  // two tokens each
  const std::string huge = std::string(1023, 'x') + "ü" + std::string(2000, 'y');
  stream.source(huge);
  stream.receive(protocol::Finish());
  stream.run();
  std::string source;
  for (const protocol::Sentence& sentence : stream.all<protocol::Sentence>()) {
    source += sentence.source + "|";
  }
  EXPECT_THAT(source, HasSubstr("langes langes|langes"));
  std::string joined;
  std::copy_if(source.begin(), source.end(), std::back_inserter(joined),
               [](char c) { return c != ' ' && c != '|'; });
  EXPECT_EQ(joined, "langeslangeslanges" + huge);
}

TEST(Session, SentenceWithoutTokensIsCopiedAndNeverOpened) {
  ScriptedStream stream;
  stream.source("xx-silent");
  stream.receive(protocol::EndSentence());
  stream.source("– xx-silent.");
  EXPECT_THAT(stream.targets(), ElementsAre("xx-silent", "– xx-silent."));
  EXPECT_EQ(stream.open_in_translator(), 0U);
}

TEST(Session, PendingTextIsWrittenAtTheEnd) {
  ScriptedStream stream;
  stream.source("Ja xx-bytes");
  stream.receive(protocol::Finish());
  stream.run();
  const auto writes = stream.all<protocol::Write>();
  std::string text;
  int index = -1;
  for (const protocol::Write& write : writes) {
    text += write.text;
    EXPECT_GT(write.index, index);
    index = write.index;
  }
  EXPECT_EQ(text, stream.targets().at(0));
  EXPECT_THAT(text, HasSubstr("\uFFFD"));
}

TEST(Session, FailedTranslationIsAnErrorOfTheStream) {
  ScriptedStream stream;
  stream.source("Guten Tag");
  const auto error = stream.session().translated({{1, 0}, 0, 0, false, "no memory"}, stream.now());
  EXPECT_EQ(error->code, ErrorCode::kInternal);
  EXPECT_THAT(error->message, HasSubstr("no memory"));
  EXPECT_THAT(stream.session().open_sentences(),
              ElementsAre(Pair(0, ElementsAre(SentenceKey{1, 0, 0}))));
}

TEST(Session, WriteIsTriggeredByTheTokenThatMadeItPossible) {
  ScriptedStream stream("wait-k:k=2");
  const TimePoint first = stream.now();
  stream.source("Ja");
  stream.wait(Seconds(0.5));
  const TimePoint second = stream.now();
  stream.source("nein");
  stream.wait(Seconds(0.25));
  const TimePoint end = stream.now();
  stream.receive(protocol::EndSentence());
  stream.wait(Seconds(0.125));
  stream.run();
  std::vector<TimePoint> causes;
  for (const Outgoing& outgoing : stream.outgoing()) {
    if (outgoing.triggered_at) {
      causes.push_back(*outgoing.triggered_at);
    }
  }
  EXPECT_THAT(causes, ElementsAre(second, end));  // "JA" saw two tokens, "NEIN" the end
  EXPECT_LT(first, second);
  EXPECT_EQ(stream.all<protocol::Write>()[0].time, 875.0);
}

TEST(Session, ReportsTheSourceTimeOfEachWrite) {
  ScriptedStream stream("gma:delta=0");
  stream.receive(protocol::Source{1, "Ja", 12.5});
  stream.receive(protocol::Source{2, "nein", 14.0});
  stream.receive(protocol::Source{3, "gut.", {}});  // no time: that of the message before
  stream.run();
  std::vector<std::optional<double>> times;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    times.push_back(write.source_time);
  }
  EXPECT_THAT(times, ElementsAre(12.5, 14.0, 14.0));
  std::vector<std::optional<double>> shown;
  for (const protocol::SourceMessage& words : stream.all<protocol::SourceMessage>()) {
    shown.push_back(words.time);
  }
  EXPECT_THAT(shown, ElementsAre(12.5, 14.0, 14.0));
}

// As of a recogniser whose final texts have times and whose hypotheses have none.
TEST(Session, WordsWithoutTimeHaveTheTimeOfTheirArrival) {
  ScriptedStream stream("gma:delta=0");
  stream.wait(Seconds(3));
  stream.receive(protocol::Hypothesis{"Guten Tag.", true, 2.5});
  stream.wait(Seconds(57));
  stream.receive(protocol::Hypothesis{"Wir gehen", false});
  stream.receive(protocol::Hypothesis{"Wir gehen", false});
  stream.wait(Seconds(1));
  stream.receive(protocol::Hypothesis{"Wir gehen.", true, 60.25});
  std::vector<std::pair<std::string, double>> shown;
  for (const auto& words : stream.all<protocol::SourceMessage>()) {
    shown.emplace_back(words.text, words.time.value());
  }
  EXPECT_THAT(shown, ElementsAre(std::pair("Guten Tag.", 2.5), std::pair("Wir", 59.5),
                                 std::pair("gehen.", 60.25)));
}

TEST(Session, CountsTimeFromReadyIfTheSourceHasNoClock) {
  ScriptedStream stream("gma:delta=0");
  stream.wait(Seconds(1.5));
  stream.source("Ja.");
  stream.run();
  EXPECT_EQ(stream.all<protocol::Write>().front().source_time, 1.5);
}

TEST(Session, ModelReadsSpokenTextAndViewersReceiveTheOriginal) {
  SessionOptions options;
  options.source_form = TextForm::kSpoken;
  ScriptedStream stream("full-sentence", options);
  stream.source("„Guten – Tag!“");
  stream.receive(protocol::EndSentence());
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG"));
  EXPECT_EQ(stream.all<protocol::SourceMessage>().front().text, "„Guten – Tag!“");
  EXPECT_EQ(stream.all<protocol::Sentence>().front().source, "„Guten – Tag!“");
}

TEST(Session, ChangesTheFormOfTextWithTheNextSentence) {
  ScriptedStream stream("full-sentence");
  stream.source("Guten");
  stream.session().configure(TextForm::kSpoken);
  stream.source("Tag, du! Ja, du!");
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN TAG, DU!", "JA DU"));
}

}  // namespace
}  // namespace surtitle
