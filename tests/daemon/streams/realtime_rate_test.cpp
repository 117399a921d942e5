#include "daemon/streams/realtime_rate.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

class SpeakingPaceTest : public ::testing::Test {
 protected:
  // Some of these words come ahead of speech.
  bool ahead(int words, double seconds_later) {
    now_ += to_duration(Seconds(seconds_later));
    return pace_.add(words, now_);
  }

  TimePoint now_{std::chrono::hours(1000)};
  SpeakingPace pace_{now_};
};

TEST_F(SpeakingPaceTest, WhoSpeaksIsNeverAheadOfSpeech) {
  for (int word = 0; word < 1000; ++word) {
    ASSERT_FALSE(ahead(1, 0.25)) << word;
  }
  for (int sentence = 0; sentence < 100; ++sentence) {
    ASSERT_FALSE(ahead(25, 8)) << sentence;
  }
}

TEST_F(SpeakingPaceTest, AFileIs) {
  EXPECT_FALSE(ahead(20, 0));
  for (int line = 0; line < 100; ++line) {
    ASSERT_TRUE(ahead(20, 0.1)) << line;
  }
}

TEST_F(SpeakingPaceTest, WhoSpeaksAfterAFileIsNoLongerSoonAfterwards) {
  EXPECT_TRUE(ahead(100'000, 0));
  EXPECT_TRUE(ahead(2, 1));
  EXPECT_FALSE(ahead(2, 6));
}

}  // namespace
}  // namespace surtitle
