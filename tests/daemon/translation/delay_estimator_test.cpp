// The percentile of recent delays, on a simulated clock.
#include "daemon/translation/delay_estimator.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

constexpr TimePoint kNow{std::chrono::hours(1000)};

TEST(DelayEstimator, KnowsNothingOfAFewDelays) {
  DelayEstimator delays;
  for (std::uint32_t i = 1; i < DelayEstimator::kEnough; ++i) {
    delays.add(Seconds(5), kNow);
  }
  EXPECT_EQ(delays.p95(kNow), Seconds(0));
  delays.add(Seconds(5), kNow);
  EXPECT_NEAR(delays.p95(kNow).count(), 5, 1);
}

TEST(DelayEstimator, IgnoresOneLateWordInAHundred) {
  DelayEstimator delays;
  delays.add(Seconds(5), kNow);
  for (int i = 0; i < 99; ++i) {
    delays.add(Seconds(0.1), kNow);
  }
  EXPECT_NEAR(delays.p95(kNow).count(), 0.1, 0.02);
}

TEST(DelayEstimator, ForgetsDelaysAfterTheWindow) {
  DelayEstimator delays;
  for (int i = 0; i < 100; ++i) {
    delays.add(Seconds(5), kNow);
  }
  EXPECT_EQ(delays.p95(kNow + DelayEstimator::kWindow), Seconds(0));
}

}  // namespace
}  // namespace surtitle
