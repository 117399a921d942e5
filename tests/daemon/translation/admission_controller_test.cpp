// Admission on a simulated clock.
#include "daemon/translation/admission_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

namespace surtitle {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr std::array<std::size_t, 1> kModel{0};

StepCostModel cost_of(double seconds) {
  StepCostModel cost;
  cost.add(Seconds(10 * seconds), 10);
  return cost;
}

class AdmissionTest : public ::testing::Test {
 protected:
  static constexpr double kOfOne = 0.0125;  // share of the time that a speaking stream takes

  explicit AdmissionTest(AdmissionOptions options = {Seconds(0.2), 0.8}, double cost = 0.001)
      : admission_(options) {
    admission_.add_model("de-en", cost_of(cost));
  }

  bool begin() {
    if (admission_.check(kModel, now_)) {
      return false;
    }
    admission_.add_stream(++last_, {0}, now_);
    admission_.on_admitted(kModel);
    return true;
  }
  // Starts streams until one is rejected. Returns the number of admitted ones.
  int begin_all() {
    int streams = 0;
    while (streams < 10'000 && begin()) {
      ++streams;
    }
    return streams;
  }
  // Ends the streams with these numbers.
  void end(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t stream = first; stream <= last; ++stream) {
      admission_.remove_stream(stream, now_);
    }
  }
  // Starts as many streams as there is time for, each of which takes kOfOne. No more are admitted
  // then.
  int begin_all_and_speak() {
    const int streams = begin_all();
    work(2 * Seconds(LoadEstimator::kMemory), streams * kOfOne);
    EXPECT_FALSE(begin());
    return streams;
  }
  // The model's steps, of ten tokens each, take this share of the time.
  void work(Seconds time, double load) {
    for (const TimePoint end = now_ + to_duration(time); now_ < end; tick()) {
      admission_.add_step(0, Seconds(0.01 * load), 10, now_);
    }
  }
  void silence(Seconds time) {
    for (const TimePoint end = now_ + to_duration(time); now_ < end;) {
      tick();
    }
  }
  // Advances the clock; the network thread calls advance_time() four times a second.
  void tick() {
    now_ += milliseconds(10);
    if (now_.time_since_epoch() % milliseconds(250) == milliseconds(0)) {
      admission_.advance_time(now_);
    }
  }
  void delays(double seconds) {
    for (int i = 0; i < 100; ++i) {
      admission_.add_delay(0, Seconds(seconds), /*faster_than_realtime=*/false, now_);
    }
  }

  TimePoint now_{std::chrono::hours(1000)};
  AdmissionController admission_;
  std::uint64_t last_ = 0;
};

TEST_F(AdmissionTest, CountsANewStreamAsOneThatSpeaks) {
  // With twelve tokens a second, a millisecond each, 66 streams take 80 % of the time.
  EXPECT_NEAR(begin_all(), 66, 1);
  const auto refused = admission_.check(kModel, now_);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("the load of model de-en is "));
  EXPECT_THAT(refused->message, HasSubstr("%; try again in"));
}

TEST_F(AdmissionTest, HasRoomOnceStreamsEnd) {
  begin_all();
  end(1, 20);
  EXPECT_FALSE(begin()) << "it closed a moment ago";
  now_ += AdmissionController::kClosed;
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, OpensAlthoughClientsRetryAllTheTime) {
  begin_all();
  end(1, 20);
  int admitted = 0;
  for (int i = 0; i < 200; ++i, tick()) {
    admitted += begin() ? 1 : 0;
  }
  EXPECT_NEAR(admitted, 20, 1);
}

TEST_F(AdmissionTest, AdmitsMoreIfRunningStreamsAreSilent) {
  begin_all();
  silence(2 * LoadEstimator::kMemory);
  // 66 silent streams and 50 that speak: the mean is 43 % of one that speaks.
  EXPECT_NEAR(begin_all(), 150, 10);
}

TEST_F(AdmissionTest, AdmitsFewerIfRunningStreamsAreBusy) {
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(begin());
  }
  work(2 * Seconds(LoadEstimator::kMemory), 0.7);
  EXPECT_NEAR(admission_.model_load(0, now_), 0.7, 0.1);
  const int more = begin_all();
  EXPECT_GT(more, 3);
  EXPECT_LT(more, 20);
}

// Clients retry all the time. Those that are admitted in a quiet moment are still there in a loud
// one.
TEST_F(AdmissionTest, DoesNotTakeAQuietMomentForRoom) {
  constexpr double kOfEach = 0.012;
  constexpr double kLoud = 0.75;  // share of the time; the rest has a third as many tokens
  constexpr double kMean = kLoud + (1 - kLoud) / 3;
  int streams = 0;
  for (int i = 0; i < 12'000; ++i, tick()) {
    const bool loud = i % 400 < 400 * kLoud;
    const double load = streams * kOfEach * (loud ? 1 : 1.0 / 3) / kMean;
    admission_.add_step(0, Seconds(0.01 * load), std::max(1, static_cast<int>(10 * load)), now_);
    streams += i % 10 == 0 && begin() ? 1 : 0;
  }
  EXPECT_GT(streams * kOfEach, 0.65);
  EXPECT_LT(streams * kOfEach, 0.85);
}

TEST_F(AdmissionTest, OpensOnlyOnceThereIsClearlyRoom) {
  const int streams = begin_all_and_speak();
  end(1, 5);
  work(LoadEstimator::kWindow, (streams - 5) * kOfOne);
  EXPECT_FALSE(begin()) << "there is room for four, but it would close again at once";
  EXPECT_TRUE(admission_.closed(now_));
  end(6, 12);
  work(LoadEstimator::kWindow, (streams - 12) * kOfOne);
  EXPECT_NEAR(begin_all(), 10, 2);
}

TEST_F(AdmissionTest, OpensAfterAMinuteWithoutRequests) {
  const int streams = begin_all_and_speak();
  end(1, 5);
  work(Seconds(61), (streams - 5) * kOfOne);
  EXPECT_TRUE(begin()) << "there is room for some";
}

TEST_F(AdmissionTest, ClosesOneModelOnly) {
  admission_.add_model("de-fr", cost_of(0.001));
  constexpr std::array<std::size_t, 1> kOther{1};
  const int streams = begin_all_and_speak();
  EXPECT_FALSE(admission_.check(kOther, now_)) << "the other model did not close";
  end(1, 5);
  work(LoadEstimator::kWindow, (streams - 5) * kOfOne);
  EXPECT_FALSE(begin()) << "the first model is still closed";
}

// A stream of several models is rejected if one of them is overloaded.
TEST_F(AdmissionTest, KeepsTheOtherModelsOfARejectedStreamOpen) {
  admission_.add_model("de-fr", cost_of(0.001));
  constexpr std::array<std::size_t, 1> kOther{1};
  constexpr std::array<std::size_t, 2> kBoth{0, 1};
  admission_.add_stream(++last_, {1}, now_);
  begin_all();
  EXPECT_TRUE(admission_.check(kBoth, now_));
  EXPECT_FALSE(admission_.check(kOther, now_));
}

TEST_F(AdmissionTest, ClosesAllModelsWhileWordsAreLate) {
  admission_.add_model("de-fr", cost_of(0.001));
  constexpr std::array<std::size_t, 1> kOther{1};
  admission_.add_stream(++last_, {1}, now_);
  ASSERT_TRUE(begin());
  delays(0.5);
  EXPECT_FALSE(begin());
  now_ += 2 * LoadEstimator::kWindow;
  delays(0.15);
  EXPECT_TRUE(admission_.check(kOther, now_)) << "while it is closed, half the delay is the limit";
}

// A stream that passes this check may still be rejected for another reason.
TEST_F(AdmissionTest, StaysClosedUntilACheckedStreamStarts) {
  const int streams = begin_all_and_speak();
  end(1, 12);
  work(LoadEstimator::kMemory, (streams - 12) * kOfOne);
  EXPECT_FALSE(admission_.check(kModel, now_));
  work(LoadEstimator::kMemory, (streams - 5) * kOfOne);
  EXPECT_TRUE(admission_.check(kModel, now_)) << "there is room, but it would close again";
  admission_.add_stream(++last_, {0}, now_);  // one of the journal, without a check
  EXPECT_TRUE(admission_.check(kModel, now_));
  admission_.on_admitted(kModel);
  EXPECT_FALSE(admission_.check(kModel, now_));
}

TEST_F(AdmissionTest, ReportsThatItIsClosedWhileRejectedClientsRetry) {
  for (int i = 0; i < 10; ++i) {
    begin_all();
    const auto refused = admission_.check(kModel, now_);
    ASSERT_TRUE(refused);
    silence(Seconds(refused->retry_seconds));
    EXPECT_TRUE(admission_.closed(now_)) << i;
  }
}

// As for the streams of a journal that are not restored yet, however long that takes.
TEST_F(AdmissionTest, CountsAReservationAsAStreamThatSpeaks) {
  for (std::uint64_t stream = 1; stream <= 60; ++stream) {
    admission_.reserve(++last_, {0}, now_);
  }
  silence(5 * Seconds(LoadEstimator::kMemory));
  const int more = begin_all();
  EXPECT_NEAR(more, 6, 1);
  end(1, 60);
  now_ += AdmissionController::kClosed;
  EXPECT_NEAR(begin_all(), 60, 3);
}

TEST_F(AdmissionTest, AttributesAFileToItsModelOnly) {
  admission_.add_model("de-fr", cost_of(0.001));
  const int streams = begin_all();
  admission_.add_stream(++last_, {1}, now_);
  for (int i = 0; i < 2'000; ++i) {
    admission_.add_delay(0, Seconds(0.01), /*faster_than_realtime=*/false, now_);
    admission_.add_delay(1, Seconds(5), /*faster_than_realtime=*/true, now_);
    work(Seconds(0.01), streams * kOfOne);
  }
  EXPECT_FALSE(begin()) << "the streams of the first model speak";
}

// As for requests over HTTP beside streams.
TEST_F(AdmissionTest, AttributesWorkToShortStreams) {
  constexpr int kStreams = 30;
  for (int i = 0; i < kStreams; ++i) {
    ASSERT_TRUE(begin());
  }
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t first = last_ + 1;
    for (int request = 0; request < kStreams; ++request) {
      admission_.add_stream(++last_, {0}, now_);
    }
    work(Seconds(0.1), 2 * kStreams * 0.01);
    if (i < 199) {
      for (std::uint64_t request = first; request <= last_; ++request) {
        admission_.remove_stream(request, now_);
      }
    }
  }
  EXPECT_TRUE(begin()) << "61 streams of a hundredth each";
}

TEST_F(AdmissionTest, IsNotClosedOnceItIsOff) {
  begin_all();
  EXPECT_TRUE(admission_.closed(now_));
  admission_.configure({Seconds(0), 0.8});
  EXPECT_FALSE(admission_.closed(now_));
}

TEST_F(AdmissionTest, RejectsStreamsWhileWordsAreLate) {
  delays(0.1);
  EXPECT_TRUE(begin());
  delays(0.5);
  const auto refused = admission_.check(kModel, now_);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("the 95th percentile of words' delays is 5"));
  now_ += milliseconds(1500);
  delays(0.15);  // delays of half a second still count
  EXPECT_FALSE(begin());
  now_ += milliseconds(1500);
  EXPECT_FALSE(begin()) << "while it is closed, half the delay is the limit";
  now_ += LoadEstimator::kWindow;
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, AdmitsTheFirstStreamWhateverWasBefore) {
  ASSERT_TRUE(begin());
  delays(0.5);
  EXPECT_FALSE(begin());
  admission_.remove_stream(last_, now_);
  EXPECT_TRUE(begin());
}

// As for a file that is piped to the daemon.
TEST_F(AdmissionTest, CountsNeitherDelaysNorLoadOfWordsAheadOfSpeech) {
  ASSERT_TRUE(begin());
  now_ += LoadEstimator::kWindow;
  for (int i = 0; i < 100; ++i) {
    admission_.add_delay(0, Seconds(5), /*faster_than_realtime=*/true, now_);
    work(Seconds(0.02), 1);
    admission_.network_busy(Seconds(0.02), now_);
  }
  EXPECT_GT(admission_.model_load(0, now_), 0.8);
  EXPECT_TRUE(begin());
  delays(0.5);  // words of other streams are late
  EXPECT_FALSE(begin());
}

// As one word of 5,000 letters, of which nothing is translated before all of it is read.
TEST_F(AdmissionTest, DoesNotCountTheLoadOfWordsAheadOfSpeechBeforeTheyAreTranslated) {
  ASSERT_TRUE(begin());
  admission_.add_words(0, 500, /*faster_than_realtime=*/true, now_);
  work(Seconds(1), 0.95);
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, AFewLateWordsAreNoOverload) {
  ASSERT_TRUE(begin());
  for (int i = 0; i < 19; ++i) {
    admission_.add_delay(0, Seconds(5), /*faster_than_realtime=*/false, now_);
  }
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, RejectsStreamsIfTheNetworkThreadIsBusy) {
  ASSERT_TRUE(begin());
  for (int i = 0; i < 16; ++i, now_ += milliseconds(250)) {
    admission_.network_busy(Seconds(0.24), now_);
  }
  const auto refused = admission_.check(kModel, now_);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("the load of the network thread is "));
}

// As for restoring the rest of a journal.
TEST_F(AdmissionTest, IgnoresBackgroundWorkOfTheNetworkThread) {
  ASSERT_TRUE(begin());
  for (int i = 0; i < 16; ++i, now_ += milliseconds(250)) {
    admission_.exclude_background(Seconds(0.23), now_);
    admission_.network_busy(Seconds(0.24), now_);
  }
  EXPECT_NEAR(admission_.network_load(now_), 0.04, 0.01);
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, SpreadsTheRetriesOfRejectedClients) {
  begin_all();  // the last one is asked to wait 5 s
  const auto retry = [&] { return admission_.check(kModel, now_)->retry_seconds; };
  std::map<int, int> times;
  for (int i = 0; i < 2000; ++i) {
    const int seconds = retry();
    EXPECT_GE(seconds, times.empty() ? 6 : times.rbegin()->first) << "in the order of arrival";
    ++times[seconds];
  }
  for (const auto& [seconds, clients] : times) {
    EXPECT_LE(clients, 50) << "after " << seconds << " s";
  }
  EXPECT_EQ(times.begin()->first, 6);
  EXPECT_EQ(times.rbegin()->first, 45);
  // More clients than there is time for retry side by side, and not all at the end.
  for (int i = 0; i < 8'000; ++i) {
    ++times[retry()];
  }
  EXPECT_EQ(times.rbegin()->first, 60);
  for (const auto& [seconds, clients] : times) {
    EXPECT_LE(clients, 10'000 / 55 + 50) << "after " << seconds << " s";
  }
  now_ += std::chrono::seconds(60);
  begin_all();
  EXPECT_EQ(retry(), 6) << "only one client was rejected lately";
}

TEST_F(AdmissionTest, AdmitsTheFirstStreamWhateverItTakes) {
  admission_.configure({Seconds(0.2), 0.001});
  EXPECT_TRUE(begin());
  EXPECT_FALSE(begin());
}

TEST_F(AdmissionTest, ChecksOnlyTheModelsOfTheStream) {
  admission_.add_model("de-fr", cost_of(0.001));
  begin_all();
  constexpr std::array<std::size_t, 1> kOther{1};
  now_ += AdmissionController::kClosed;
  EXPECT_FALSE(admission_.check(kOther, now_));
}

TEST_F(AdmissionTest, UsesTheCostOfEachModel) {
  admission_.add_model("de-fr", cost_of(0.004));
  constexpr std::array<std::size_t, 1> kOther{1};
  int streams = 0;
  while (!admission_.check(kOther, now_)) {
    admission_.add_stream(++last_, {1}, now_);
    ++streams;
  }
  EXPECT_NEAR(streams, 16, 1);
  now_ += AdmissionController::kClosed;
  EXPECT_NEAR(begin_all(), 66, 1);
}

struct WithoutAdmission : AdmissionTest {
  WithoutAdmission() : AdmissionTest({Seconds(0), 0.8}) {}
};

TEST_F(WithoutAdmission, AdmitsEveryStream) {
  delays(10);
  work(Seconds(4), 5);
  EXPECT_EQ(begin_all(), 10'000);
}

struct UnmeasuredAdmission : AdmissionTest {
  UnmeasuredAdmission() : AdmissionTest({Seconds(0.2), 0.8}, 0) {}
};

TEST_F(UnmeasuredAdmission, IsLimitedByTheNetworkThread) { EXPECT_NEAR(begin_all(), 1333, 1); }

// As for a thousand clients that return at once.
TEST_F(UnmeasuredAdmission, DoesNotTakeTheCostOfStartingForThatOfSpeaking) {
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(begin()) << i;
    admission_.network_busy(Seconds(0.0003), now_);
    if (i % 30 == 0) {
      tick();
    }
  }
  EXPECT_NEAR(admission_.network_load(now_), 0.15, 0.01);
}

// As for admission that was off when the daemon started.
TEST_F(UnmeasuredAdmission, LearnsTheLoadOfStreams) {
  constexpr double kOfEach = 0.07;
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(begin());
  }
  work(2 * Seconds(LoadEstimator::kMemory), 9 * kOfEach);
  EXPECT_NEAR(begin_all(), 2, 1);
}

}  // namespace
}  // namespace surtitle
