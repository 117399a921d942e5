// Loads on a simulated clock.
#include "daemon/translation/load_estimator.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

using std::chrono::milliseconds;

constexpr TimePoint kBegin{std::chrono::hours(1000)};

// A step lasts a millisecond, and a tenth of a millisecond for each token.
StepCostModel calibrated() {
  StepCostModel cost;
  for (const double tokens : {1.0, 8.0, 32.0}) {
    cost.add(Seconds(0.001 + tokens * 0.0001), tokens);
  }
  return cost;
}

// Ten streams whose tokens arrive one by one. Their steps are small, and most of their cost is that
// of the step, which more streams would share.
TEST(SmallSteps, CountByTheCostOfTheirTokens) {
  LoadEstimator load;
  load.add_model(calibrated());
  TimePoint now = kBegin;
  for (int i = 0; i < 400; ++i, now += milliseconds(10)) {
    load.add_step(0, Seconds(0.0011), 1, now);
  }
  EXPECT_NEAR(load.model_load(0, now), 0.01, 0.002) << "a hundred tokens a second";
}

// The same steps while other processes need the processor, too.
TEST(SmallSteps, ShowHowMuchLongerTheyTakeThanBefore) {
  LoadEstimator load;
  load.add_model(calibrated());
  TimePoint now = kBegin;
  for (int i = 0; i < 400; ++i, now += milliseconds(10)) {
    load.add_step(0, Seconds(0.0022), 1, now);
  }
  EXPECT_NEAR(load.model_load(0, now), 0.02, 0.004);
}

TEST(LoadEstimator, CountsStreamsWithoutAMeasurementAsTypicalSpeakers) {
  LoadEstimator load;
  load.add_model(calibrated());
  EXPECT_NEAR(load.expected_model_load(0, kBegin), 12 * 0.0001, 1e-9) << "of one more stream";
  load.add_stream(1, {0}, kBegin);
  load.reserve(2, {0}, kBegin);
  EXPECT_EQ(load.streams(0), 2);
  EXPECT_NEAR(load.expected_model_load(0, kBegin), 3 * 12 * 0.0001, 1e-9);
  EXPECT_EQ(load.model_load(0, kBegin), 0);
}

TEST(LoadEstimator, CountsAStreamOnceForEachOfItsModels) {
  LoadEstimator load;
  load.add_model(calibrated());
  load.add_model(calibrated());
  load.add_stream(1, {1, 1}, kBegin);
  EXPECT_EQ(load.streams(0), 0);
  EXPECT_EQ(load.streams(1), 1);
  EXPECT_EQ(load.streams(), 1);
  load.remove_stream(1, kBegin);
  load.remove_stream(1, kBegin);
  EXPECT_EQ(load.streams(), 0);
}

// A silent stream that is measured lowers the mean of 50 typical speakers and itself.
TEST(LoadEstimator, MeasuresAStreamOnceItHasRunForTenSeconds) {
  LoadEstimator load;
  load.add_model(calibrated());
  load.add_stream(1, {0}, kBegin);
  TimePoint now = kBegin;
  while (now < kBegin + LoadEstimator::kMemory) {
    now += milliseconds(250);
    load.advance_time(now);
  }
  EXPECT_NEAR(load.expected_model_load(0, now), 12 * 0.0001 * 50 / 51, 1e-9);
}

TEST(LoadEstimator, LeavesOutWordsAheadOfSpeech) {
  LoadEstimator load;
  load.add_model(calibrated());
  load.add_stream(1, {0}, kBegin);
  load.network_busy(Seconds(1), kBegin);
  load.add_words(0, 1, /*faster_than_realtime=*/false, kBegin);
  const double all = load.expected_network_load(kBegin);
  EXPECT_GT(all, 0.5);
  load.add_words(0, 1, /*faster_than_realtime=*/true, kBegin);
  EXPECT_NEAR(load.expected_network_load(kBegin), all / 2, 0.01);
  EXPECT_EQ(load.network_load(kBegin), 0.5) << "the measured load has all work";
}

}  // namespace
}  // namespace surtitle
