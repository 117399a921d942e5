// Sessions with a glossary. The scripted model writes its source in capitals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const protocol::Glossary kGlossary{
    {"Wärmepumpe", "heat pump"}, {"Runder Tisch", "round table"}, {"geheim", "***"}};

struct GlossaryStream : ScriptedStream {
  explicit GlossaryStream(const std::string& policy = "wait-k:k=1", SessionOptions options = {})
      : ScriptedStream(policy, with_masks(std::move(options))) {
    session().configure(0, make_terms(kGlossary, "de"));
    TrackSetting now = setting(policy);
    now.terms = make_terms(kGlossary, "de");
    now.placeholders = {"X7", "X4"};
    configure(0, now);
  }
  static SessionOptions with_masks(SessionOptions options) {
    options.masks = make_masks(kGlossary, "de");
    return options;
  }
  void finish() {
    receive(protocol::Finish());
    run();
  }
};

TEST(SessionGlossary, TermsComeOut) {
  GlossaryStream stream;
  stream.source("Die Wärmepumpe am Runder Tisch.");
  stream.finish();
  EXPECT_THAT(stream.targets(), ElementsAre("DIE heat pump AM round table."));
  const auto sentences = stream.all<protocol::Sentence>();
  EXPECT_EQ(sentences.front().source, "Die Wärmepumpe am Runder Tisch.");
  EXPECT_EQ(sentences.front().untranslated, 0);
}

TEST(SessionGlossary, TheBeginningOfALongerTermWaitsForOneWord) {
  GlossaryStream stream;
  stream.source("Ein Runder");
  stream.run();
  EXPECT_THAT(stream.all<protocol::Write>(), SizeIs(1));
  stream.source("Saal");
  stream.run();
  EXPECT_THAT(stream.all<protocol::Write>(), SizeIs(4)) << "EIN, RUND, ER, SAAL";
}

TEST(SessionGlossary, AHeldWordIsTranslatedAfterASilence) {
  GlossaryStream stream;
  stream.source("Runder");
  stream.run();
  EXPECT_THAT(stream.all<protocol::Write>(), IsEmpty());
  stream.wait(Seconds(3));
  stream.run();
  EXPECT_THAT(stream.targets(), ElementsAre("RUNDER"));
}

TEST(SessionGlossary, MasksAreInNoMessage) {
  GlossaryStream stream;
  stream.receive(protocol::Hypothesis{"sehr geheim und", false});
  stream.receive(protocol::Hypothesis{"sehr geheim und", false});
  stream.receive(protocol::Hypothesis{"sehr Geheim, oder", true});
  stream.finish();
  for (const Outgoing& outgoing : stream.outgoing()) {
    EXPECT_EQ(protocol::to_json(outgoing.message).find("eheim"), std::string::npos)
        << protocol::to_json(outgoing.message);
  }
  EXPECT_THAT(stream.targets().front(), testing::HasSubstr("SEHR ***"));
}

TEST(SessionGlossary, ChangesFromTheNextSentenceOn) {
  GlossaryStream stream;
  stream.source("Die Wärmepumpe");
  stream.session().configure(0, make_terms({{"Wärmepumpe", "pump"}}, "de"));
  stream.source("und Wärmepumpe. Die Wärmepumpe.");
  stream.finish();
  EXPECT_THAT(stream.targets(), ElementsAre("DIE heat pump UND heat pump.", "DIE pump."));
}

TEST(SessionGlossary, WordsAheadAreReadAsTheyWillBe) {
  GlossaryStream stream("wait-k:k=2");
  stream.source("Ein Runder");
  stream.receive(protocol::Tail{"Tisch heute"});
  ASSERT_THAT(stream.ahead(), SizeIs(1));
  std::vector<int> expected = stream.encode("X7");
  for (const int token : stream.encode("heute")) {
    expected.push_back(token);
  }
  EXPECT_EQ(stream.ahead().front().tokens, expected);
  stream.answer_ahead(stream.encode("X7"));
  EXPECT_EQ(stream.all<protocol::Draft>().front().text, "Round table");
}

TEST(SessionGlossary, SentencesDependOnTheWordsAndTheGlossaryOnly) {
  const std::vector<std::string> vocabulary{"Runder",  "Tisch",  "Wärmepumpe,", "geheim",    "X7",
                                            "(Runder", "Tisch)", "und.",        "langeswort"};
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    SessionOptions options;
    options.sentence_words = 8;
    GlossaryStream one_by_one("wait-k:k=2", options);
    GlossaryStream together("wait-k:k=2", options);
    std::string all;
    for (int i = 0; i < 30; ++i) {
      const std::string& word = vocabulary[random() % vocabulary.size()];
      one_by_one.source(word);
      if (random() % 2 == 0) {
        one_by_one.run();
      }
      all += " " + word;
    }
    together.source(all);
    one_by_one.finish();
    together.finish();
    ASSERT_EQ(one_by_one.targets(), together.targets()) << all;
    EXPECT_TRUE(together.session().complete());
  }
}

TEST(SessionGlossary, NoSentenceHasMoreTokensThanItsModelAllows) {
  std::mt19937 random(5);
  GlossaryStream stream("wait-k:k=2");
  TrackSetting small = stream.setting("wait-k:k=2");
  small.sentence_tokens = 20;
  small.terms = make_terms({{"a", "b"}, {"a a", "c"}}, "de");
  small.placeholders = {"ABCDEFGH"};
  stream.configure(0, small);
  for (int i = 0; i < 100; ++i) {
    stream.source(random() % 2 == 0 ? "a" : "a-a-a-a-a-a-a-a-a");
    stream.run();
  }
  stream.finish();
  EXPECT_TRUE(stream.session().complete());
}

}  // namespace
}  // namespace surtitle
