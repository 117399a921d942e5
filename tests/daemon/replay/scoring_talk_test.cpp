#include "daemon/replay/scoring_talk.h"

#include <gmock/gmock.h>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kRounding = 0.02;  // segments are a little shorter than their words

// Two sentences. The second one begins after a pause, and ends by a silence.
RecordedRun run() {
  RecordedSentence first;
  first.source = "a b";
  first.target = "x y";
  first.source_times = {1000, 1500};
  first.delays = {1, 2};
  first.written = {1010, 1530};
  first.due = {1000, 1500};
  RecordedSentence second;
  second.source = "c";
  second.target = "z w";
  second.source_times = {5000};
  second.delays = {1, 1};
  second.written = {5000, 7100};
  second.due = {5000, 7000};
  return {"run", "model", "gma:delta=1", {first, second}};
}

void expect_segment(const ReferenceSegment& segment, double begin, double duration) {
  EXPECT_NEAR(segment.begin, begin, kRounding);
  EXPECT_NEAR(segment.duration, duration, kRounding);
}

TEST(ScoringTalk, BeginsWithTheFirstWordAndLeavesPausesOut) {
  const std::vector<std::string> references{" eins zwei ", "drei"};
  const std::optional<ScoringTalk> talk = scoring_talk(run(), "talk", 400, references);
  ASSERT_TRUE(talk);
  EXPECT_EQ(talk->translation.text, "x y z w");
  EXPECT_THAT(talk->translation.delays, ElementsAre(400, 900, 4400, 6400));
  EXPECT_THAT(talk->translation.elapsed, ElementsAre(410, 930, 4400, 6500));
  EXPECT_EQ(talk->source_length, 4400);
  ASSERT_EQ(talk->reference.segments.size(), 2U);
  expect_segment(talk->reference.segments[0], 0, 900);
  expect_segment(talk->reference.segments[1], 4000, 400);
  EXPECT_EQ(talk->reference.segments[0].reference, "eins zwei");
}

// A word that is due with the last word of its segment must not be inside by rounding.
TEST(ScoringTalk, EndsASegmentBeforeTheWordThatIsDueAtItsEnd) {
  const std::vector<std::string> references{"eins zwei", "drei"};
  const std::optional<ScoringTalk> talk = scoring_talk(run(), "talk", 400, references);
  EXPECT_LT(talk->reference.segments[0].duration, 900);
  EXPECT_LT(talk->reference.segments[1].begin + talk->reference.segments[1].duration, 4400);
}

TEST(ScoringTalk, HasTheSegmentsThatItIsGiven) {
  const std::vector<std::string> references{"eins", "", "zwei drei"};
  const std::vector<int> words{1, 0, 2};
  const std::optional<ScoringTalk> talk = scoring_talk(run(), "talk", 400, references, words);
  ASSERT_EQ(talk->reference.segments.size(), 3U);
  expect_segment(talk->reference.segments[0], 0, 400);
  expect_segment(talk->reference.segments[1], 400, 1);  // other programs divide by it
  expect_segment(talk->reference.segments[2], 500, 3900);
}

TEST(ScoringTalk, GivesWordsThatArriveTogetherEqualTimes) {
  RecordedRun together = run();
  together.sentences[1].source = "c d e";
  together.sentences[1].source_times = {1800, 1801, 1801.5};
  const std::vector<std::string> references{"eins zwei", "drei", "vier"};
  const std::vector<int> words{2, 2, 1};
  const std::optional<ScoringTalk> talk = scoring_talk(together, "talk", 400, references, words);
  ASSERT_TRUE(talk);
  expect_segment(talk->reference.segments[1], 900, 201);  // two thirds of the time since 1500
  expect_segment(talk->reference.segments[2], 1101, 100.5);
}

TEST(ScoringTalk, NeedsTheTimesOfAllWords) {
  const std::vector<std::string> references{"eins zwei", "drei"};
  RecordedRun unknown = run();
  unknown.sentences[1].source_times.clear();
  EXPECT_FALSE(scoring_talk(unknown, "talk", 400, references));
  EXPECT_FALSE(time_scores(unknown));
  EXPECT_EQ(time_table(unknown), "");
  EXPECT_FALSE(time_scores({"run"})) << "no words";
}

TEST(ScoringTalk, NeedsAReferenceForEachSegmentAndASegmentForEachWord) {
  const std::vector<std::string> references{"eins zwei", "drei"};
  EXPECT_FALSE(scoring_talk(run(), "talk", 400, {}));
  EXPECT_FALSE(scoring_talk(run(), "talk", 400, references, std::vector<int>{1, 1}));
  EXPECT_FALSE(scoring_talk(run(), "talk", 400, references, std::vector<int>{2, 2}));
  EXPECT_TRUE(scoring_talk(run(), "talk", 400, references, std::vector<int>{1, 2}));
}

TEST(TimeScores, AreMeansInMilliseconds) {
  const std::optional<TimeScores> scores = time_scores(run(), 400);
  ASSERT_TRUE(scores);
  // First: 400 of 900 ms; 900 is at its end. Second: 400 of 400 ms is at its end.
  EXPECT_NEAR(scores->ideal.yaal.value(), 400, kRounding);
  // The talk continues after 900 ms. The pace is 450 ms a word. The second is at its end.
  EXPECT_NEAR(scores->ideal.long_yaal.value(), (400 + 900 - 450) / 2.0, kRounding);
  ASSERT_TRUE(scores->aware);
  EXPECT_NEAR(scores->aware->yaal.value(), 410, kRounding);
  EXPECT_THAT(time_table(run()), HasSubstr("YAAL               400.0"));
  EXPECT_THAT(to_json(*scores), HasSubstr("\"yaal\":400,"));
}

TEST(TimeScores, AreNotComputationAwareIfTranslationTakesNoTime) {
  RecordedRun ideal = run();
  for (RecordedSentence& sentence : ideal.sentences) {
    sentence.written = sentence.due;
  }
  EXPECT_FALSE(time_scores(ideal)->aware);
}

}  // namespace
}  // namespace surtitle
