#include "daemon/replay/scoring_talk.h"

#include <gmock/gmock.h>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two sentences. The second one begins after a pause.
RecordedRun run() {
  RecordedSentence first;
  first.source = "a b";
  first.target = "x y";
  first.said = {1000, 1500};
  first.delays = {1, 2};
  first.written = {1010, 1530};
  RecordedSentence second;
  second.source = "c";
  second.target = "z w";
  second.said = {5000};
  second.delays = {1, 1};
  second.written = {5000, 5100};
  return {"run", "model", "gma:delta=1", {first, second}};
}

TEST(ScoringTalk, BeginsWithTheFirstWordAndLeavesPausesOut) {
  const std::vector<std::string> references{" eins zwei ", "drei"};
  const std::optional<ScoringTalk> talk = scoring_talk(run(), "talk", 400, references);
  ASSERT_TRUE(talk);
  EXPECT_EQ(talk->translation.text, "x y z w");
  EXPECT_THAT(talk->translation.delays, ElementsAre(400, 900, 4400, 4400));
  EXPECT_THAT(talk->translation.elapsed, ElementsAre(410, 930, 4400, 4500));
  EXPECT_EQ(talk->source_length, 4400);
  ASSERT_EQ(talk->reference.segments.size(), 2U);
  EXPECT_EQ(talk->reference.segments[0].begin, 0);
  EXPECT_EQ(talk->reference.segments[0].duration, 900);
  EXPECT_EQ(talk->reference.segments[0].reference, "eins zwei");
  EXPECT_EQ(talk->reference.segments[1].begin, 4000);
  EXPECT_EQ(talk->reference.segments[1].duration, 400);
}

TEST(ScoringTalk, HasTheSegmentsThatItIsGiven) {
  const std::vector<int> words{1, 0, 2};
  const std::optional<ScoringTalk> talk = scoring_talk(run(), "talk", 400, {}, words);
  ASSERT_EQ(talk->reference.segments.size(), 3U);
  EXPECT_EQ(talk->reference.segments[0].duration, 400);
  EXPECT_EQ(talk->reference.segments[1].duration, 0);
  EXPECT_EQ(talk->reference.segments[2].begin, 500);
  EXPECT_EQ(talk->reference.segments[2].duration, 3900);
}

TEST(ScoringTalk, NeedsTheTimesOfAllWords) {
  RecordedRun unknown = run();
  unknown.sentences[1].said.clear();
  EXPECT_FALSE(scoring_talk(unknown, "talk", 400, {}));
  EXPECT_FALSE(time_scores(unknown));
  EXPECT_EQ(time_table(unknown), "");
}

TEST(TimeScores, AreMeansInMilliseconds) {
  const std::optional<TimeScores> scores = time_scores(run(), 400);
  ASSERT_TRUE(scores);
  // First: 400, 900 of 900 ms, pace 450. Second: 400, 400 of 400 ms, pace 200.
  EXPECT_EQ(scores->ideal.yaal, 400);
  ASSERT_TRUE(scores->aware);
  EXPECT_THAT(time_table(run()), HasSubstr("YAAL               400.0"));
  EXPECT_THAT(to_json(*scores), HasSubstr("\"yaal\":400,"));
}

TEST(TimeScores, AreNotComputationAwareIfTranslationTakesNoTime) {
  RecordedRun ideal = run();
  ideal.sentences[0].written = {1000, 1500};
  ideal.sentences[1].written = {5000, 5000};
  EXPECT_FALSE(time_scores(ideal)->aware);
}

}  // namespace
}  // namespace surtitle
