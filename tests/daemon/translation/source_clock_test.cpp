#include "daemon/translation/source_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using Given = std::optional<double>;

// Returns the times of words that arrive at once, as from a file.
std::vector<double> times_of(const std::vector<Given>& given) {
  SourceClock clock;
  std::vector<double> times;
  for (const Given time : given) {
    times.push_back(clock.time_of(time, 0.25));
  }
  return times;
}

TEST(SourceClock, KeepsTimesThatAdvance) {
  EXPECT_THAT(times_of({1.0, 2.0, 2.0, 130.0, 400.0, 401.0}), ElementsAre(1, 2, 2, 130, 400, 401));
}

TEST(SourceClock, NeverGoesBackByACorrection) {
  EXPECT_THAT(times_of({5.0, 4.5, 5.5}), ElementsAre(5, 5, 5.5));
}

TEST(SourceClock, ContinuesIfTheClockStartsAgain) {
  EXPECT_THAT(times_of({58.0, 59.0, 60.0, 0.5, 1.5, 8.5, 9.5, 1.0, 2.0}),
              ElementsAre(58, 59, 60, 60, 61, 68, 69, 69, 70));
}

TEST(SourceClock, ContinuesAtTheArrivalIfTheClockStartsAgainAfterAPause) {
  SourceClock clock;
  EXPECT_DOUBLE_EQ(clock.time_of(60, 61), 60);
  EXPECT_DOUBLE_EQ(clock.time_of(0.5, 101), 100);
  EXPECT_DOUBLE_EQ(clock.time_of(1.5, 102), 101);
}

TEST(SourceClock, OutlierChangesNoOtherTime) {
  EXPECT_THAT(times_of({1.0, 3600.0, 5.0, 8.0}), ElementsAre(1, 3600, 5, 8));
  EXPECT_THAT(times_of({10.0, 30.0, 31.0, 12.0, 13.0}), ElementsAre(10, 30, 31, 12, 13));
  EXPECT_THAT(times_of({10.0, 0.5, 11.0, 12.0}), ElementsAre(10, 10, 11, 12));
}

TEST(SourceClock, FourTimesThatAgreeAreNoOutlier) {
  EXPECT_THAT(times_of({1.0, 100.0, 101.0, 102.0, 103.0, 2.0, 3.0}),
              ElementsAre(1, 100, 101, 102, 103, 103, 104));
}

TEST(SourceClock, CountsFromReadyWithoutTimes) {
  SourceClock clock;
  EXPECT_DOUBLE_EQ(clock.time_of({}, 1.5), 1.5);
  EXPECT_DOUBLE_EQ(clock.time_of({}, 3), 3);
}

TEST(SourceClock, MapsTheArrivalOfWordsWithoutTime) {
  SourceClock clock;
  EXPECT_DOUBLE_EQ(clock.time_of(3, 13.5), 3);
  EXPECT_DOUBLE_EQ(clock.time_of({}, 13.5), 3);
  EXPECT_DOUBLE_EQ(clock.time_of({}, 70.5), 60);
  EXPECT_DOUBLE_EQ(clock.time_of(59.5, 71), 60) << "not before the words before";
  EXPECT_DOUBLE_EQ(clock.time_of(65, 75), 65);
  EXPECT_DOUBLE_EQ(clock.time_of({}, 76), 66);
}

TEST(SourceClock, TimeBeyondAllClocksCountsAsMissing) {
  EXPECT_THAT(times_of({1e300, 1.0, -1e300, std::nan(""), 2.0}), ElementsAre(0.25, 1, 1, 1, 2));
}

TEST(SourceClock, TakesTimesSince1970RelativeToTheFirst) {
  constexpr double kNow = 1716900000.5;
  EXPECT_THAT(times_of({kNow, kNow + 4, {}, kNow + 8.5}), ElementsAre(0.25, 4.25, 4.25, 8.75));
  EXPECT_THAT(times_of({1.0, kNow, kNow + 4, 5.0}), ElementsAre(1, 1, 5, 5));
  EXPECT_THAT(times_of({kNow, 1.0, 2.0, 3.0, 4.0}), ElementsAre(0.25, 0.25, 1.25, 2.25, 3.25));
}

TEST(SourceClock, OutlierDoesNotMoveWordsWithoutTime) {
  SourceClock clock;
  clock.time_of(3, 13);
  EXPECT_DOUBLE_EQ(clock.time_of(3600, 14), 3600);
  EXPECT_DOUBLE_EQ(clock.time_of({}, 15), 5);
  EXPECT_DOUBLE_EQ(clock.time_of(6, 16), 6);
}

}  // namespace
}  // namespace surtitle
