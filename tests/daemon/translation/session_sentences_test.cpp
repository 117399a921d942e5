// Where a session ends sentences, and the words of a sentence that its translation leaves out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/translation/session.h"
#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> sources(const ScriptedStream& stream) {
  std::vector<std::string> sources;
  for (const protocol::Sentence& sentence : stream.all<protocol::Sentence>()) {
    sources.push_back(sentence.source);
  }
  return sources;
}

SessionOptions german() {
  SessionOptions options;
  options.source_language = "de";
  return options;
}

TEST(Session, DoubtfulStopWaitsForTheNextWord) {
  ScriptedStream stream("gma", german());
  stream.source("Am 7.");
  stream.source("Oktober um 500 v. Chr.");
  stream.run();
  EXPECT_THAT(sources(stream), ElementsAre());
  stream.source("Das");
  stream.run();
  EXPECT_THAT(sources(stream), ElementsAre("Am 7. Oktober um 500 v. Chr."));
  EXPECT_EQ(stream.all<protocol::SourceMessage>().back().sentence, 1);
}

TEST(Session, DoubtfulStopEndsAfterSilence) {
  ScriptedStream stream("gma", german());
  stream.source("Äpfel, Birnen usw.");
  stream.wait(Seconds(2.0));
  stream.run();
  EXPECT_THAT(sources(stream), ElementsAre("Äpfel, Birnen usw."));
  stream.source("und Nüsse.");
  stream.run();
  EXPECT_THAT(sources(stream), ElementsAre("Äpfel, Birnen usw.", "und Nüsse."));
}

TEST(Session, WordsWithoutPunctuationAreDividedWithoutANoticeAndLoseNothing) {
  ScriptedStream stream("gma", german());
  std::string all;
  for (int i = 0; i < 116; ++i) {
    stream.source("wort" + std::to_string(i));
    all += (i > 0 ? " wort" : "wort") + std::to_string(i);
  }
  stream.receive(protocol::Finish());
  stream.run();
  std::string joined;
  for (const std::string& source : sources(stream)) {
    EXPECT_LE(std::count(source.begin(), source.end(), ' '), 29);
    joined += (joined.empty() ? "" : " ") + source;
  }
  EXPECT_EQ(joined, all);
  EXPECT_TRUE(stream.all<protocol::Error>().empty());
}

TEST(Session, LongSentenceEndsAfterAShorterSilence) {
  ScriptedStream stream("gma", german());
  for (int i = 0; i < 20; ++i) {
    stream.source("wort");
  }
  stream.wait(Seconds(0.5));
  stream.run();
  EXPECT_EQ(stream.targets().size(), 1U);
}

TEST(Session, WordsThatTheTranslationLeftOutAreTranslatedInTheSameSentence) {
  ScriptedStream stream("gma:delta=0", german());
  stream.source("Eins zwei xx-omit vier fünf xx-omit sieben acht. Und neun.");
  stream.run();
  EXPECT_THAT(sources(stream),
              ElementsAre("Eins zwei xx-omit vier fünf xx-omit sieben acht.", "Und neun."));
  EXPECT_THAT(stream.targets(),
              ElementsAre("EINS ZWEI XX-OMIT VIER FüNF XX-OMIT SIEBEN ACHT.", "UND NEUN."));
  int read = 0;
  int index = -1;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    if (write.sentence == 0) {
      EXPECT_GE(write.read, read);
      EXPECT_GT(write.index, index);
      read = write.read;
      index = write.index;
    }
  }
  EXPECT_EQ(stream.session().queued_words(), 0);
}

TEST(Session, FewWordsThatTheTranslationLeftOutAreNoRest) {
  ScriptedStream stream("gma:delta=0", german());
  stream.source("Eins zwei xx-omit vier.");
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("EINS ZWEI"));
}

TEST(Session, WordsWithoutATranslationAreCounted) {
  const auto untranslated = [](const std::string& text) {
    ScriptedStream stream("gma:delta=0", german());
    stream.source(text);
    stream.receive(protocol::Finish());
    stream.run();
    return stream.all<protocol::Sentence>().front().untranslated;
  };
  EXPECT_EQ(untranslated("Eins zwei drei."), 0);
  EXPECT_EQ(untranslated("Eins zwei xx-omit vier fünf xx-omit sieben acht."), 0);
  EXPECT_EQ(untranslated("Eins zwei xx-mute vier fünf sechs."), 4);
  EXPECT_EQ(untranslated("Eins zwei xx-mute vier."), 0) << "may have no counterpart";
  EXPECT_EQ(untranslated("xx-mute vier."), 2) << "nothing was written";
  EXPECT_EQ(untranslated("Eins xx-silent zwei."), 1) << "the vocabulary lacks the word";
  EXPECT_EQ(untranslated("xx-silent"), 1);
  EXPECT_EQ(untranslated("xx-silent."), 1);
  EXPECT_EQ(untranslated("xx-silent zwei xx-mute vier xx-silent sechs."), 5);
  EXPECT_EQ(untranslated("– …"), 0) << "it is copied";
}

TEST(Session, SentenceWithoutLettersOrDigitsIsCopied) {
  for (const std::string text : {".", "?!", "– …", "→", "*** . ***"}) {
    ScriptedStream stream("gma", german());
    stream.source(text);
    stream.receive(protocol::Finish());
    EXPECT_EQ(stream.open_in_translator(), 0U) << text;
    ASSERT_FALSE(stream.all<protocol::Sentence>().empty()) << text;
    for (const protocol::Sentence& sentence : stream.all<protocol::Sentence>()) {
      EXPECT_EQ(sentence.target, sentence.source);
    }
    EXPECT_EQ(stream.all<protocol::Write>().front().text,
              stream.all<protocol::Sentence>().front().source);
  }
}

TEST(Session, PicturesInsideASentenceAreNotSentToTheModel) {
  ScriptedStream stream("gma:delta=0", german());
  stream.source("Das ❤️ ist < gut 😀!");
  stream.receive(protocol::Finish());
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("DAS IST GUT !"));
  EXPECT_EQ(stream.all<protocol::Sentence>().front().source, "Das ❤️ ist < gut 😀!");
  EXPECT_EQ(stream.all<protocol::Sentence>().front().untranslated, 0);
}

TEST(Session, MarksAloneAreShownInTheTargetLanguage) {
  const auto shown = [](const std::string& text) {
    ScriptedStream stream("gma:delta=0", german());
    stream.source(text);
    stream.receive(protocol::Finish());
    stream.run();
    return stream.targets();
  };
  EXPECT_THAT(shown("[Applaus]"), ElementsAre("[applause]"));
  EXPECT_THAT(shown("[Beifall]."), ElementsAre("[applause]"));
  EXPECT_THAT(shown("[Musik][räuspert sich] [Tür knarrt]"),
              ElementsAre("[music][clears throat] [Tür knarrt]"));
  EXPECT_THAT(shown("[1] Text"), ElementsAre("1 TEXT"));
  EXPECT_THAT(shown("[Applaus]danke"), ElementsAre("DANKE"));
  EXPECT_THAT(shown("[nie geschlossen"), ElementsAre("NIE GESCHLOSSEN"));
  EXPECT_THAT(shown("[a b c d e f g h i j k l m"), ElementsAre("A B C D E F G H I J K L M"));
  EXPECT_THAT(shown("danke [Applaus]"), ElementsAre("DANKE"));
}

TEST(Session, TextInCapitalsIsLoweredForTheModel) {
  for (const std::string text : {"GUTEN MORGEN, XX-BYTES", "Guten Morgen, XX-BYTES"}) {
    ScriptedStream stream("gma:delta=0", german());
    stream.source(text);
    stream.receive(protocol::Finish());
    stream.run();
    const protocol::Sentence sentence = stream.all<protocol::Sentence>().front();
    EXPECT_EQ(sentence.source, text);
    EXPECT_EQ(sentence.target.find("\uFFFD") != std::string::npos, text[1] == 'U');
  }
}

TEST(Session, SignsBeforeAWordAreTranslatedWithIt) {
  ScriptedStream stream("gma:delta=0", german());
  stream.source("–");
  stream.run();
  EXPECT_TRUE(stream.all<protocol::Write>().empty());
  stream.source("Ja, 5.");
  stream.receive(protocol::Finish());
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("– JA, 5."));
}

}  // namespace
}  // namespace surtitle
