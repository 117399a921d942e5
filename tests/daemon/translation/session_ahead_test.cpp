// Words that are read ahead of the committed ones, and translations that begin with given text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> texts_of(const std::vector<protocol::Write>& writes) {
  std::vector<std::string> texts;
  for (const protocol::Write& write : writes) {
    texts.push_back(write.text);
  }
  return texts;
}

TEST(SessionAhead, TailIsReadAheadOfTheOpenSentence) {
  ScriptedStream stream("wait-k:k=2");
  stream.source("Ja nein");
  stream.receive(protocol::Tail{"doch so"});
  ASSERT_THAT(stream.ahead(), SizeIs(1));
  std::vector<int> expected = stream.encode("doch");
  expected.push_back(stream.encode("so").front());
  EXPECT_EQ(stream.ahead().front().tokens, expected);
  EXPECT_EQ(stream.ahead().front().key.sentence, 0);
  EXPECT_EQ(stream.session().source_words(), 2);
}

TEST(SessionAhead, DraftContinuesTheTextWritten) {
  ScriptedStream stream("wait-k:k=2");
  stream.source("Ja nein");
  stream.run();
  stream.receive(protocol::Tail{"doch"});
  stream.answer_ahead(stream.encode("NEIN"));
  EXPECT_THAT(texts_of(stream.all<protocol::Write>()), ElementsAre("JA"));
  EXPECT_THAT(stream.all<protocol::Draft>(), ElementsAre(protocol::Draft{0, " NEIN"}));
  EXPECT_EQ(stream.outgoing().back().audience, Audience::kSender);
}

TEST(SessionAhead, TailWithoutAnOpenSentenceHasAnEmptyDraft) {
  ScriptedStream stream;
  stream.receive(protocol::Tail{"ja"});
  stream.answer_ahead({});
  EXPECT_THAT(stream.all<protocol::Draft>(), ElementsAre(protocol::Draft{0, ""}));
}

TEST(SessionAhead, DraftWaitsForTheSentencesBefore) {
  ScriptedStream stream("full-sentence");
  stream.source("Eins. Zwei. Drei. Vier");
  stream.receive(protocol::Tail{"fünf"});
  stream.answer_ahead({});
  EXPECT_THAT(stream.all<protocol::Draft>(), IsEmpty());
  EXPECT_THAT(stream.ahead(), SizeIs(1)) << "the draft is asked for again";
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("EINS.", "ZWEI.", "DREI."));
  stream.answer_ahead({});
  EXPECT_THAT(stream.all<protocol::Draft>(), IsEmpty())
      << "the translator may have answered before it had the last sentence";
  stream.answer_ahead({});
  EXPECT_THAT(stream.all<protocol::Draft>(), ElementsAre(protocol::Draft{3, ""}));
}

TEST(SessionAhead, TailIsNoSilence) {
  SessionOptions options;
  options.silence = Seconds(2);
  ScriptedStream stream("gma:delta=1", options);
  stream.source("Ja");
  stream.wait(Seconds(1.5));
  stream.receive(protocol::Tail{"nein"});
  stream.wait(Seconds(1.5));
  EXPECT_EQ(stream.targets().size(), 0U);
  stream.wait(Seconds(0.5));
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("JA"));
}

SessionOptions with_prefix(const std::string& prefix) {
  SessionOptions options;
  options.target_prefix = prefix;
  return options;
}

TEST(SessionAhead, TranslationContinuesAGivenText) {
  ScriptedStream stream("wait-k:k=2", with_prefix("GUTEN MORGEN,"));
  stream.source("Guten Morgen, meine");
  stream.run();
  stream.source("Damen. Ja.");
  stream.run();
  EXPECT_THAT(texts_of(stream.all<protocol::Write>()),
              ElementsAre("GUTEN MORGEN,", " MEIN", "E", " DAME", "N.", "JA."));
  EXPECT_THAT(stream.targets(), ElementsAre("GUTEN MORGEN, MEINE DAMEN.", "JA."));
}

TEST(SessionAhead, GivenTextIsOfOneSentence) {
  ScriptedStream stream("wait-k:k=1", with_prefix("JA. NEIN."));
  stream.source("Ja. Nein. Doch");
  stream.run();
  stream.source("so. Gut.");
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("JA. NEIN. DOCH SO.", "GUT."));
}

}  // namespace
}  // namespace surtitle
