#include "daemon/replay/delay_tracker.h"

#include <gmock/gmock.h>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::IsEmpty;

constexpr Seconds kSilence{2.0};

TimePoint at(double seconds) { return TimePoint() + to_duration(Seconds(seconds)); }

auto ms(float value) { return FloatNear(value, 0.01F); }

protocol::Write write(int index, int words) { return {0, index, "x", words, words, 0}; }

protocol::Sentence sentence(const std::string& source) { return {0, source, "", {}, {}}; }

TEST(DelayTracker, MeasuresFromTheMessageWithTheLastNeededWord) {
  DelayTracker tracker(kSilence);
  tracker.sent(2, at(1.0));
  tracker.sent(1, at(2.0));
  tracker.received(write(0, 1), at(1.010));
  tracker.received(write(1, 2), at(2.020));  // late, but only the second word was needed
  tracker.received(write(2, 3), at(2.030));
  EXPECT_THAT(tracker.complete(sentence("a b c.")), ElementsAre(ms(10), ms(1020), ms(30)));
  EXPECT_EQ(tracker.tokens(), 3);
}

TEST(DelayTracker, ContinuesWithTheWordsOfTheNextSentence) {
  DelayTracker tracker(kSilence);
  tracker.sent(3, at(1.0));  // "a b. c"
  tracker.received(write(0, 2), at(1.5));
  EXPECT_THAT(tracker.complete(sentence("a b.")), ElementsAre(ms(500)));
  tracker.sent(1, at(3.0));  // "d."
  tracker.received(write(0, 1), at(2.0));
  tracker.received(write(1, 2), at(3.25));
  EXPECT_THAT(tracker.complete(sentence("c d.")), ElementsAre(ms(1000), ms(250)));
}

TEST(DelayTracker, MeasuresWritesThatNeededTheEndFromTheEnd) {
  DelayTracker tracker(kSilence);
  tracker.sent(2, at(1.0));
  tracker.received(write(0, 2), at(1.1));
  tracker.ended(at(1.5));
  tracker.received(write(1, 1), at(1.6));
  tracker.received(write(2, 2), at(1.6));
  EXPECT_THAT(tracker.complete(sentence("a b")), ElementsAre(ms(100), ms(600), ms(100)));
}

TEST(DelayTracker, MeasuresFromTheEndOfTheSilence) {
  DelayTracker tracker(kSilence);
  tracker.sent(2, at(1.0));
  tracker.received(write(0, 2), at(1.1));
  tracker.received(write(1, 2), at(3.1));
  EXPECT_THAT(tracker.complete(sentence("a b")), ElementsAre(ms(100), ms(100)));
}

TEST(DelayTracker, MeasuresFromTheWordThatDidNotFit) {
  DelayTracker tracker(Seconds(0));
  tracker.sent(2, at(1.0));
  tracker.sent(1, at(1.7));
  tracker.received(write(0, 2), at(1.8));
  EXPECT_THAT(tracker.complete(sentence("a b")), ElementsAre(ms(100)));
}

TEST(DelayTracker, NeedsNoEndAfterPunctuation) {
  DelayTracker tracker(kSilence);
  tracker.sent(2, at(1.0));
  tracker.ended(at(1.5));
  tracker.received(write(0, 2), at(4.0));
  EXPECT_THAT(tracker.complete(sentence("a b!")), ElementsAre(ms(3000)));
}

TEST(DelayTracker, IgnoresASentenceThatItDidNotSend) {
  DelayTracker tracker(kSilence);
  tracker.received(write(0, 7), at(1.0));
  EXPECT_THAT(tracker.complete(sentence("a b")), IsEmpty());
  tracker.sent(1, at(2.0));
  tracker.received(write(0, 9), at(2.5));
  EXPECT_THAT(tracker.complete(sentence("a.")), ElementsAre(ms(500)));
  EXPECT_THAT(tracker.complete(sentence("")), IsEmpty());
  EXPECT_EQ(tracker.tokens(), 0);
}

}  // namespace
}  // namespace surtitle
