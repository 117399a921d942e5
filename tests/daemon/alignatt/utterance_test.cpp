#include "daemon/alignatt/utterance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surtitle::alignatt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

protocol::Write write(int sentence, const std::string& text, int words) {
  return {sentence, 0, text, words, words, 0};
}

TEST(Utterance, SendsEachWordOnceWithItsTime) {
  Utterance utterance(0);
  EXPECT_THAT(utterance.add_words({{"Guten", 500}, {"Tag", 500}, {"so", 900}, {"und", {}}}),
              ElementsAre(protocol::Source{0, "Guten Tag", 0.5}, protocol::Source{0, "so", 0.9},
                          protocol::Source{0, "und", {}}));
  EXPECT_THAT(utterance.add_words({{"Guten", 500}}), IsEmpty());
  EXPECT_THAT(
      utterance.add_words({{"Guten", 1}, {"T", 2}, {"so", 3}, {"und", 4}, {" ", 5}, {"x", 6}}),
      ElementsAre(protocol::Source{0, "x", 0.006}));
}

TEST(Utterance, WordsAfterAPrefixAreOneMessage) {
  Utterance utterance(0, "Good");
  EXPECT_THAT(utterance.add_words({{"Guten", 500}, {"Tag.", 900}}),
              ElementsAre(protocol::Source{0, "Guten Tag.", 0.9}));
  EXPECT_THAT(utterance.add_words({{"Guten", 500}, {"Tag.", 900}, {"a", 950}, {"b", 960}}),
              ElementsAre(protocol::Source{0, "a", 0.95}, protocol::Source{0, "b", 0.96}));
}

TEST(Utterance, CommittedTextGrowsOverSentences) {
  Utterance utterance(4);
  utterance.add_words({{"Ja."}, {"Guten"}, {"Tag"}});
  utterance.on_message(write(2, "Yes.", 1));
  utterance.on_message(protocol::Sentence{2, "Ja.", "Yes.", {}, {}});
  utterance.on_message(write(3, "Good", 1));
  utterance.on_message(protocol::Draft{3, " day"});
  Translation answer = utterance.answer({.seq = 9, .utterance_id = 4, .words = {}});
  EXPECT_EQ(answer.seq, 9);
  EXPECT_EQ(answer.utterance_id, 4);
  EXPECT_FALSE(answer.final);
  EXPECT_EQ(answer.committed_text, "Yes. Good");
  EXPECT_EQ(answer.committed_delta, "Yes. Good");
  EXPECT_EQ(answer.buffer_text, " day");
  EXPECT_EQ(answer.covered_source_units, 2);
  utterance.on_message(write(3, " day", 2));
  answer = utterance.answer({.seq = 10, .utterance_id = 4, .words = {}, .is_final = true});
  EXPECT_TRUE(answer.final);
  EXPECT_TRUE(utterance.ended());
  EXPECT_EQ(answer.committed_text, "Yes. Good day");
  EXPECT_EQ(answer.committed_delta, " day");
  EXPECT_EQ(answer.buffer_text, "");
  EXPECT_EQ(answer.covered_source_units, 3);
}

TEST(Utterance, FurtherWordsContinueAnEndedUtterance) {
  Utterance utterance(0);
  Update update{.seq = 1, .words = {{"Ja"}}, .is_final = true, .forced_final = true};
  utterance.add_words(update.words);
  EXPECT_TRUE(utterance.answer(update).forced_final);
  EXPECT_TRUE(utterance.ended());
  EXPECT_TRUE(utterance.has_words_of(update));
  update = {.seq = 2, .words = {{"Ja"}, {"nein"}}};
  EXPECT_FALSE(utterance.has_words_of(update));
  EXPECT_THAT(utterance.add_words(update.words), ElementsAre(protocol::Source{0, "nein", {}}));
  const Translation answer = utterance.answer(update);
  EXPECT_FALSE(answer.final);
  EXPECT_FALSE(answer.forced_final);
}

TEST(Utterance, PrefixIsThereFromTheBeginningAndNotRepeated) {
  Utterance utterance(0, "Good mor");
  const Translation first = utterance.answer({.words = {}});
  EXPECT_EQ(first.committed_text, "Good mor");
  EXPECT_EQ(first.committed_delta, "");
  utterance.add_words({{"Guten"}, {"Morgen"}});
  utterance.on_message(write(0, "Good mor", 2));
  utterance.on_message(write(0, "ning", 2));
  const Translation answer = utterance.answer({.words = {}});
  EXPECT_EQ(answer.committed_text, "Good morning");
  EXPECT_EQ(answer.committed_delta, "ning");
}

}  // namespace
}  // namespace surtitle::alignatt
