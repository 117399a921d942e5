#include "daemon/streams/realtime_rate.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

class RealtimeRateTest : public ::testing::Test {
 protected:
  // Adds words after a pause. Returns whether some of them came faster than speech.
  bool faster_than_realtime(int words, double seconds_later) {
    now_ += to_duration(Seconds(seconds_later));
    return rate_.add(words, now_);
  }

  TimePoint now_{std::chrono::hours(1000)};
  RealtimeRate rate_{now_};
};

TEST_F(RealtimeRateTest, SpeechIsNeverFasterThanRealtime) {
  for (int word = 0; word < 1000; ++word) {
    ASSERT_FALSE(faster_than_realtime(1, 0.25)) << word;
  }
  for (int sentence = 0; sentence < 100; ++sentence) {
    ASSERT_FALSE(faster_than_realtime(25, 8)) << sentence;
  }
}

TEST_F(RealtimeRateTest, FileIsFasterThanRealtime) {
  EXPECT_FALSE(faster_than_realtime(20, 0));
  for (int line = 0; line < 100; ++line) {
    ASSERT_TRUE(faster_than_realtime(20, 0.1)) << line;
  }
}

TEST_F(RealtimeRateTest, SpeechAfterAFileIsRealtimeSoonAfterwards) {
  EXPECT_TRUE(faster_than_realtime(100'000, 0));
  EXPECT_TRUE(faster_than_realtime(2, 1));
  EXPECT_FALSE(faster_than_realtime(2, 6));
}

}  // namespace
}  // namespace surtitle
