#include "daemon/translation/sentence_state.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/daemon/support/scripted_translator.h"

namespace surtitle {
namespace {

constexpr double kRounding = 1e-9;

TimePoint at(double seconds) { return TimePoint() + to_duration(Seconds(seconds)); }

// Two words, said at 10 and 10.4 seconds. A silence of two seconds ends the sentence, and the last
// word is written after it.
SentenceState spoken() {
  const auto tokenizer = std::make_shared<ScriptedTokenizer>();
  SentenceState sentence(0, tokenizer);
  const auto write = [&](const char* piece, int read, double time) {
    sentence.write(tokenizer->id(piece), read);
    sentence.appeared(at(time));
  };
  sentence.add_word("Guten", 1, 10, at(100));
  write("\u2581GO", 1, 100.1);
  write("OD", 1, 100.2);
  sentence.add_word("Morgen", 1, 10.4, at(101));
  sentence.end_source(at(103));
  write("\u2581MORNING", 3, 103.5);
  sentence.end_target();
  return sentence;
}

TEST(SentenceState, MeasuresOnTheClockOfTheSpeaker) {
  const LatencyScores scores = spoken().speech_scores({}, /*computation_aware=*/false);
  // The words are due after 0.4 of 0.8 seconds, and 2 seconds after the end.
  EXPECT_NEAR(scores.yaal.value(), 0.4, kRounding);
  EXPECT_NEAR(scores.long_yaal.value(), (0.4 + 2.8 - 0.4) / 2, kRounding);
  const LatencyScores close = spoken().speech_scores(9.9, /*computation_aware=*/false);
  EXPECT_NEAR(close.yaal.value(), 0.1, kRounding) << "the first word lasts from the one before";
}

TEST(SentenceState, AddsTheTimeUntilAWordAppears) {
  const LatencyScores scores = spoken().speech_scores({}, /*computation_aware=*/true);
  EXPECT_NEAR(scores.yaal.value(), 0.6, kRounding);
  EXPECT_NEAR(scores.long_yaal.value(), (0.6 + 3.3 - 0.4) / 2, kRounding);
}

TEST(SentenceState, WithoutWordsHasNoScores) {
  const SentenceState sentence(0, std::make_shared<ScriptedTokenizer>());
  EXPECT_FALSE(sentence.speech_scores({}, /*computation_aware=*/true).long_yaal);
}

}  // namespace
}  // namespace surtitle
