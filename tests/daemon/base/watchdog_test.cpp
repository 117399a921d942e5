#include "daemon/base/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace surtitle {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WatchdogTest : public ::testing::Test {
 protected:
  void pass(int milliseconds_each, int times = 1) {
    for (int i = 0; i < times; ++i) {
      now_ += milliseconds(milliseconds_each);
      watchdog_.check(now_);
    }
  }

  TimePoint now_{std::chrono::hours(1)};
  Breadcrumb network_;
  Breadcrumb model_;
  std::vector<Stall> told_;
  Watchdog watchdog_{milliseconds(400),
                     {{"network", &network_}, {"de-en", &model_}},
                     [this](const Stall& stall) { told_.push_back(stall); }};
};

TEST_F(WatchdogTest, ReportsAStalledThreadOnceWithItsStep) {
  model_.end_round(/*idle=*/false, now_);
  network_.end_round(/*idle=*/false, now_);
  pass(100, 2);
  model_.set_sentences(312, 7);
  model_.begin_step("a step", 44, now_);
  for (int i = 0; i < 8; ++i) {
    network_.end_round(false, now_);
    pass(100);
  }
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_.front().thread, "de-en");
  EXPECT_EQ(told_.front().message(),
            "Thread de-en stalled for 0.5 s (last step: a step (44) for 0.3 s; 312 sentences open, "
            "7 waiting)");
  EXPECT_EQ(watchdog_.stalled_threads().threads, "de-en");
  EXPECT_TRUE(watchdog_.stalled_threads().vital);
}

TEST_F(WatchdogTest, ReportsTheEndOfAStall) {
  model_.end_round(/*idle=*/false, now_);
  pass(100, 10);
  model_.end_round(/*idle=*/true, now_ + milliseconds(50));
  pass(100);
  ASSERT_THAT(told_, SizeIs(2));
  EXPECT_TRUE(told_.back().over);
  EXPECT_EQ(told_.back().message(), "Thread de-en recovered after a stall of 1.1 s");
  EXPECT_FALSE(watchdog_.stalled_threads().vital);
  pass(100, 10);
  EXPECT_THAT(told_, SizeIs(2));
}

TEST_F(WatchdogTest, IdleThreadDoesNotStall) {
  model_.end_round(/*idle=*/true, now_);
  pass(100, 100);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(WatchdogTest, StallOfAThreadThatIsNotVitalIsOnlyReported) {
  Breadcrumb disk;
  disk.end_round(/*idle=*/false, now_);
  Watchdog watchdog(milliseconds(400), {{"network", &network_}, {"disk", &disk, /*vital=*/false}},
                    [this](const Stall& stall) { told_.push_back(stall); });
  watchdog.check(now_ + milliseconds(500));
  EXPECT_THAT(told_, SizeIs(1));
  EXPECT_EQ(watchdog.stalled_threads().threads, "disk");
  EXPECT_FALSE(watchdog.stalled_threads().vital);
}

TEST_F(WatchdogTest, ChecksAgainAfterItWasDelayedItself) {
  model_.end_round(/*idle=*/false, now_);
  pass(100);
  pass(60'000);  // the process was stopped
  EXPECT_THAT(told_, IsEmpty());
  model_.end_round(false, now_);
  pass(100, 2);
  EXPECT_THAT(told_, IsEmpty());
}

TEST(Breadcrumb, RestoresTheOuterStep) {
  Breadcrumb crumb;
  {
    const Breadcrumb::Step outer(crumb, "outer", 1, TimePoint());
    {
      const Breadcrumb::Step inner(crumb, "inner", 2, TimePoint());
      EXPECT_STREQ(crumb.look().step, "inner");
    }
    EXPECT_STREQ(crumb.look().step, "outer");
    EXPECT_EQ(crumb.look().step_number, 1);
  }
  EXPECT_EQ(crumb.look().step, nullptr);
}

TEST(WatchdogThread, ChecksPeriodically) {
  Breadcrumb crumb;
  crumb.end_round(/*idle=*/false, Clock::now());
  std::promise<std::string> told;
  Watchdog watchdog(milliseconds(20), {{"network", &crumb}}, [&](const Stall& stall) {
    if (!stall.over) {
      told.set_value(stall.message());
    }
  });
  const WatchdogThread thread(watchdog);
  EXPECT_THAT(told.get_future().get(), HasSubstr("Thread network stalled for"));
}

TEST(WatchdogThread, IsOffWithoutALimit) {
  Watchdog watchdog(milliseconds(0), {}, [](const Stall&) {});
  const WatchdogThread thread(watchdog);
  EXPECT_FALSE(watchdog.on());
  EXPECT_FALSE(watchdog.stalled_threads().vital);
}

}  // namespace
}  // namespace surtitle
