// Properties of a session's output over random words, divided and timed at random.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>
#include <vector>

#include "daemon/translation/session.h"
#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

std::vector<std::string> random_words(std::mt19937& random, int count) {
  static const std::vector<std::string> kWords{
      "ja",        "nein",     "Herr",      "Präsident",       "Europäische", "Union.",
      "3.",        "z.B.",     "Ende!",     "(Beifall.)",      "über",        "—",
      "xx-silent", "xx-bytes", "Wirklich?", "Donaudampfschiff"};
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    words.push_back(kWords[random() % kWords.size()]);
  }
  return words;
}

SessionOptions small_limits() {
  SessionOptions options;
  options.sentence_words = 6;
  options.tracks.resize(1);
  options.tracks.front().setting.sentence_tokens = 14;
  return options;
}

class SessionProperty : public ::testing::TestWithParam<std::string> {};

TEST_P(SessionProperty, WritesDependOnlyOnTheWords) {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    const std::vector<std::string> words = random_words(random, 40);
    ScriptedStream one_by_one(GetParam(), small_limits());
    for (const std::string& word : words) {
      one_by_one.source(word);
      one_by_one.run();
    }
    one_by_one.receive(protocol::Finish());
    one_by_one.run();

    ScriptedStream cut(GetParam(), small_limits());
    for (std::size_t at = 0; at < words.size();) {
      std::string text = random() % 2 == 0 ? " \t" : "";
      for (std::size_t i = random() % 12; i > 0 && at < words.size(); --i) {
        text += words[at++] + (random() % 3 == 0 ? "  \n" : " ");
      }
      cut.source(text);
      for (unsigned int steps = random() % 6; steps > 0; --steps) {
        cut.tick();
      }
    }
    cut.receive(protocol::Finish());
    cut.run();

    ASSERT_EQ(write_fields(one_by_one), write_fields(cut));
    ASSERT_EQ(one_by_one.targets(), cut.targets());
    EXPECT_TRUE(cut.session().complete());
  }
}

TEST_P(SessionProperty, MessagesAreInOrderAndComplete) {
  std::mt19937 random(12);
  for (int round = 0; round < 150; ++round) {
    ScriptedStream stream(GetParam(), small_limits());
    std::string source;
    for (int message = 0; message < 12; ++message) {
      std::string text;
      for (const std::string& word : random_words(random, static_cast<int>(random() % 6))) {
        text += word + " ";
        source += word + " ";
      }
      stream.source(text);
      for (unsigned int steps = random() % 8; steps > 0; --steps) {
        stream.tick();
      }
    }
    stream.receive(protocol::Finish());
    stream.run();

    int sentence = 0;
    int index = -1;
    std::string target;
    std::string sources;
    for (const Outgoing& outgoing : stream.outgoing()) {
      if (const auto* write = std::get_if<protocol::Write>(&outgoing.message)) {
        ASSERT_EQ(write->sentence, sentence);
        ASSERT_GT(write->index, index);
        ASSERT_FALSE(write->text.empty());
        ASSERT_TRUE(outgoing.triggered_at.has_value());
        index = write->index;
        target += write->text;
      } else if (const auto* done = std::get_if<protocol::Sentence>(&outgoing.message)) {
        ASSERT_EQ(done->sentence, sentence++);
        ASSERT_EQ(done->target, target);
        ASSERT_FALSE(target.starts_with(' '));
        sources += done->source + " ";
        target.clear();
        index = -1;
      }
    }
    EXPECT_EQ(sources, source);
    EXPECT_EQ(stream.session().queued_words(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, SessionProperty,
                         ::testing::Values("gma:delta=0", "gma:delta=1", "gma:delta=2.5",
                                           "wait-k:k=1", "wait-k:k=5", "full-sentence"));

}  // namespace
}  // namespace surtitle
