// Admission on a clock of its own.
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
  static constexpr double kOfOne = 0.0125;  // of the time, who speaks

  explicit AdmissionTest(AdmissionOptions options = {Seconds(0.2), 0.8}, double cost = 0.001)
      : admission_(options) {
    admission_.add_model("de-en", cost_of(cost));
  }

  bool begin() {
    if (admission_.check(kModel, now_)) {
      return false;
    }
    admission_.began(++last_, {0}, now_);
    admission_.on_admitted(kModel);
    return true;
  }
  // How many are let in at once.
  int begin_all() {
    int streams = 0;
    while (streams < 10'000 && begin()) {
      ++streams;
    }
    return streams;
  }
  // Streams by their numbers.
  void end(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t stream = first; stream <= last; ++stream) {
      admission_.ended(stream, now_);
    }
  }
  // As many as there is time for, each of whom takes kOfOne of it; no more are let in then.
  int begin_all_and_speak() {
    const int streams = begin_all();
    work(2 * Seconds(Admission::kMemory), streams * kOfOne);
    EXPECT_FALSE(begin());
    return streams;
  }
  // So much of the time goes to the model's steps of ten tokens.
  void work(Seconds time, double load) {
    for (const TimePoint end = now_ + to_duration(time); now_ < end; tick()) {
      admission_.worked(0, Seconds(0.01 * load), 10, now_);
    }
  }
  void silence(Seconds time) {
    for (const TimePoint end = now_ + to_duration(time); now_ < end;) {
      tick();
    }
  }
  // Four times a second the network thread comes around.
  void tick() {
    now_ += milliseconds(10);
    if (now_.time_since_epoch() % milliseconds(250) == milliseconds(0)) {
      admission_.tick(now_);
    }
  }
  void delays(double seconds) {
    for (int i = 0; i < 100; ++i) {
      admission_.delayed(0, Seconds(seconds), /*faster_than_realtime=*/false, now_);
    }
  }

  TimePoint now_{std::chrono::hours(1000)};
  Admission admission_;
  std::uint64_t last_ = 0;
};

TEST_F(AdmissionTest, CountsWhoHasJustBegunAsSomebodyWhoSpeaks) {
  // Twelve tokens a second, a millisecond each: 66 of them take 80 % of the time.
  EXPECT_NEAR(begin_all(), 66, 1);
  const auto refused = admission_.check(kModel, now_);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("the load of model de-en is "));
  EXPECT_THAT(refused->message, HasSubstr("%; try again in"));
}

TEST_F(AdmissionTest, MakesRoomAsSoonAsAStreamEnds) {
  begin_all();
  end(1, 20);
  EXPECT_FALSE(begin()) << "it was closed a moment ago";
  now_ += Admission::kClosed;
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, OpensForACrowdThatKnocksAllTheTime) {
  begin_all();
  end(1, 20);
  int admitted = 0;
  for (int i = 0; i < 200; ++i, tick()) {
    admitted += begin() ? 1 : 0;
  }
  EXPECT_NEAR(admitted, 20, 1);
}

TEST_F(AdmissionTest, LetsMoreInWhereThoseThatRunAreSilent) {
  begin_all();
  silence(2 * Admission::kMemory);
  // The 66 without a load and 50 that speak make 43 % of one that speaks.
  EXPECT_NEAR(begin_all(), 150, 10);
}

TEST_F(AdmissionTest, LetsFewerInWhereThoseThatRunSayMuch) {
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(begin());
  }
  work(2 * Seconds(Admission::kMemory), 0.7);
  EXPECT_NEAR(admission_.model_load(0, now_), 0.7, 0.1);
  const int more = begin_all();
  EXPECT_GT(more, 3);
  EXPECT_LT(more, 20);
}

// A crowd at the door: those who come while little is said stay when much is.
TEST_F(AdmissionTest, DoesNotTakeAMomentInWhichLittleIsSaidForRoom) {
  constexpr double kOfEach = 0.012;
  constexpr double kLoud = 0.75;  // of the time, and a third of the tokens in the rest
  constexpr double kMean = kLoud + (1 - kLoud) / 3;
  int streams = 0;
  for (int i = 0; i < 12'000; ++i, tick()) {
    const bool loud = i % 400 < 400 * kLoud;
    const double load = streams * kOfEach * (loud ? 1 : 1.0 / 3) / kMean;
    admission_.worked(0, Seconds(0.01 * load), std::max(1, static_cast<int>(10 * load)), now_);
    streams += i % 10 == 0 && begin() ? 1 : 0;
  }
  EXPECT_GT(streams * kOfEach, 0.65);
  EXPECT_LT(streams * kOfEach, 0.85);
}

TEST_F(AdmissionTest, OpensAgainOnlyOnceThereIsClearlyRoom) {
  const int streams = begin_all_and_speak();
  end(1, 5);
  work(Admission::kWindow, (streams - 5) * kOfOne);
  EXPECT_FALSE(begin()) << "there is room for four, but it would be closed again at once";
  EXPECT_TRUE(admission_.closed(now_));
  end(6, 12);
  work(Admission::kWindow, (streams - 12) * kOfOne);
  EXPECT_NEAR(begin_all(), 10, 2);
}

TEST_F(AdmissionTest, ForgetsThatItWasClosedWhereNobodyHasAskedForLong) {
  const int streams = begin_all_and_speak();
  end(1, 5);
  work(Seconds(61), (streams - 5) * kOfOne);
  EXPECT_TRUE(begin()) << "there is room for some";
}

TEST_F(AdmissionTest, IsClosedForAModelAlone) {
  admission_.add_model("de-fr", cost_of(0.001));
  constexpr std::array<std::size_t, 1> kOther{1};
  const int streams = begin_all_and_speak();
  EXPECT_FALSE(admission_.check(kOther, now_)) << "it was not closed for this one";
  end(1, 5);
  work(Admission::kWindow, (streams - 5) * kOfOne);
  EXPECT_FALSE(begin()) << "it is closed still for that one";
}

// A stream of several models is refused for the one that is overloaded.
TEST_F(AdmissionTest, IsNotClosedForTheModelsBesideAnOverloadedOne) {
  admission_.add_model("de-fr", cost_of(0.001));
  constexpr std::array<std::size_t, 1> kOther{1};
  constexpr std::array<std::size_t, 2> kBoth{0, 1};
  admission_.began(++last_, {1}, now_);
  begin_all();
  EXPECT_TRUE(admission_.check(kBoth, now_));
  EXPECT_FALSE(admission_.check(kOther, now_));
}

TEST_F(AdmissionTest, IsClosedForAllWhileWordsAreLate) {
  admission_.add_model("de-fr", cost_of(0.001));
  constexpr std::array<std::size_t, 1> kOther{1};
  admission_.began(++last_, {1}, now_);
  ASSERT_TRUE(begin());
  delays(0.5);
  EXPECT_FALSE(begin());
  now_ += 2 * Admission::kWindow;
  delays(0.15);
  EXPECT_TRUE(admission_.check(kOther, now_)) << "closed, half the delay is the bound";
}

// Whoever may come by this, and then may not by something else, is not let in.
TEST_F(AdmissionTest, StaysClosedUntilSomebodyWhoAskedBegins) {
  const int streams = begin_all_and_speak();
  end(1, 12);
  work(Admission::kMemory, (streams - 12) * kOfOne);
  EXPECT_FALSE(admission_.check(kModel, now_));
  work(Admission::kMemory, (streams - 5) * kOfOne);
  EXPECT_TRUE(admission_.check(kModel, now_)) << "there is room, but it would be closed again";
  admission_.began(++last_, {0}, now_);  // one of the journal, which nobody asked about
  EXPECT_TRUE(admission_.check(kModel, now_));
  admission_.on_admitted(kModel);
  EXPECT_FALSE(admission_.check(kModel, now_));
}

TEST_F(AdmissionTest, IsSaidToBeClosedAsLongAsWhoIsRefusedComesAgain) {
  for (int i = 0; i < 10; ++i) {
    begin_all();
    const auto refused = admission_.check(kModel, now_);
    ASSERT_TRUE(refused);
    silence(Seconds(refused->retry_seconds));
    EXPECT_TRUE(admission_.closed(now_)) << i;
  }
}

// As of a journal that is gone through, however long that takes.
TEST_F(AdmissionTest, CountsWhoIsExpectedAsSomebodyWhoSpeaks) {
  for (std::uint64_t stream = 1; stream <= 60; ++stream) {
    admission_.reserve(++last_, {0}, now_);
  }
  silence(5 * Seconds(Admission::kMemory));
  const int more = begin_all();
  EXPECT_NEAR(more, 6, 1);
  end(1, 60);
  now_ += Admission::kClosed;
  EXPECT_NEAR(begin_all(), 60, 3);
}

TEST_F(AdmissionTest, PutsAFileDownToItsModelAlone) {
  admission_.add_model("de-fr", cost_of(0.001));
  const int streams = begin_all();
  admission_.began(++last_, {1}, now_);
  for (int i = 0; i < 2'000; ++i) {
    admission_.delayed(0, Seconds(0.01), /*faster_than_realtime=*/false, now_);
    admission_.delayed(1, Seconds(5), /*faster_than_realtime=*/true, now_);
    work(Seconds(0.01), streams * kOfOne);
  }
  EXPECT_FALSE(begin()) << "its own streams speak";
}

// As requests over HTTP do beside streams.
TEST_F(AdmissionTest, PutsWorkDownToStreamsThatRunForAMoment) {
  constexpr int kStreams = 30;
  for (int i = 0; i < kStreams; ++i) {
    ASSERT_TRUE(begin());
  }
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t first = last_ + 1;
    for (int request = 0; request < kStreams; ++request) {
      admission_.began(++last_, {0}, now_);
    }
    work(Seconds(0.1), 2 * kStreams * 0.01);
    if (i < 199) {
      for (std::uint64_t request = first; request <= last_; ++request) {
        admission_.ended(request, now_);
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

TEST_F(AdmissionTest, RefusesWhileWordsAreLate) {
  delays(0.1);
  EXPECT_TRUE(begin());
  delays(0.5);
  const auto refused = admission_.check(kModel, now_);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("the 95th percentile of words' delays is 5"));
  now_ += milliseconds(1500);
  delays(0.15);  // and those of half a second count still
  EXPECT_FALSE(begin());
  now_ += milliseconds(1500);
  EXPECT_FALSE(begin()) << "closed, half the delay is the bound";
  now_ += Admission::kWindow;
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, LetsTheFirstOneInWhateverWasBefore) {
  ASSERT_TRUE(begin());
  delays(0.5);
  EXPECT_FALSE(begin());
  admission_.ended(last_, now_);
  EXPECT_TRUE(begin());
}

// As where a file is piped into it.
TEST_F(AdmissionTest, CountsNeitherDelaysNorLoadOfWordsAheadOfSpeech) {
  ASSERT_TRUE(begin());
  now_ += Admission::kWindow;
  for (int i = 0; i < 100; ++i) {
    admission_.delayed(0, Seconds(5), /*faster_than_realtime=*/true, now_);
    work(Seconds(0.02), 1);
    admission_.network_busy(Seconds(0.02), now_);
  }
  EXPECT_GT(admission_.model_load(0, now_), 0.8);
  EXPECT_TRUE(begin());
  delays(0.5);  // but those beside it wait
  EXPECT_FALSE(begin());
}

TEST_F(AdmissionTest, AFewLateWordsAreNoOverload) {
  ASSERT_TRUE(begin());
  for (int i = 0; i < 19; ++i) {
    admission_.delayed(0, Seconds(5), /*faster_than_realtime=*/false, now_);
  }
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, RefusesWhereTheNetworkThreadIsBusy) {
  ASSERT_TRUE(begin());
  for (int i = 0; i < 16; ++i, now_ += milliseconds(250)) {
    admission_.network_busy(Seconds(0.24), now_);
  }
  const auto refused = admission_.check(kModel, now_);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("the load of the network thread is "));
}

// As the rest of the journal does.
TEST_F(AdmissionTest, CountsNoWorkOfTheNetworkThreadThatGivesWay) {
  ASSERT_TRUE(begin());
  for (int i = 0; i < 16; ++i, now_ += milliseconds(250)) {
    admission_.exclude_background(Seconds(0.23), now_);
    admission_.network_busy(Seconds(0.24), now_);
  }
  EXPECT_NEAR(admission_.network_load(now_), 0.04, 0.01);
  EXPECT_TRUE(begin());
}

TEST_F(AdmissionTest, LetsThoseWhomItRefusesComeAgainOneAfterTheOther) {
  begin_all();  // the last one of which is told 5 s
  const auto retry = [&] { return admission_.check(kModel, now_)->retry_seconds; };
  std::map<int, int> times;
  for (int i = 0; i < 2000; ++i) {
    const int seconds = retry();
    EXPECT_GE(seconds, times.empty() ? 6 : times.rbegin()->first) << "in the order of their coming";
    ++times[seconds];
  }
  for (const auto& [seconds, clients] : times) {
    EXPECT_LE(clients, 50) << "after " << seconds << " s";
  }
  EXPECT_EQ(times.begin()->first, 6);
  EXPECT_EQ(times.rbegin()->first, 45);
  // More than there is time for come again side by side, and not all at the end.
  for (int i = 0; i < 8'000; ++i) {
    ++times[retry()];
  }
  EXPECT_EQ(times.rbegin()->first, 60);
  for (const auto& [seconds, clients] : times) {
    EXPECT_LE(clients, 10'000 / 55 + 50) << "after " << seconds << " s";
  }
  now_ += std::chrono::seconds(60);
  begin_all();
  EXPECT_EQ(retry(), 6) << "nobody but one has been refused for long";
}

TEST_F(AdmissionTest, LetsTheFirstOneInWhateverItComesTo) {
  admission_.configure({Seconds(0.2), 0.001});
  EXPECT_TRUE(begin());
  EXPECT_FALSE(begin());
}

TEST_F(AdmissionTest, AsksAboutTheModelsOfTheStreamAlone) {
  admission_.add_model("de-fr", cost_of(0.001));
  begin_all();
  constexpr std::array<std::size_t, 1> kOther{1};
  now_ += Admission::kClosed;
  EXPECT_FALSE(admission_.check(kOther, now_));
}

TEST_F(AdmissionTest, KnowsWhatEachModelCosts) {
  admission_.add_model("de-fr", cost_of(0.004));
  constexpr std::array<std::size_t, 1> kOther{1};
  int streams = 0;
  while (!admission_.check(kOther, now_)) {
    admission_.began(++last_, {1}, now_);
    ++streams;
  }
  EXPECT_NEAR(streams, 16, 1);
  now_ += Admission::kClosed;
  EXPECT_NEAR(begin_all(), 66, 1);
}

struct WithoutAdmission : AdmissionTest {
  WithoutAdmission() : AdmissionTest({Seconds(0), 0.8}) {}
};

TEST_F(WithoutAdmission, EverybodyIsLetIn) {
  delays(10);
  work(Seconds(4), 5);
  EXPECT_EQ(begin_all(), 10'000);
}

struct UnmeasuredAdmission : AdmissionTest {
  UnmeasuredAdmission() : AdmissionTest({Seconds(0.2), 0.8}, 0) {}
};

TEST_F(UnmeasuredAdmission, IsBoundByTheNetworkThread) { EXPECT_NEAR(begin_all(), 1333, 1); }

// As a thousand clients do that come back at once.
TEST_F(UnmeasuredAdmission, DoesNotTakeTheWorkOfComingForThatOfSpeaking) {
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(begin()) << i;
    admission_.network_busy(Seconds(0.0003), now_);
    if (i % 30 == 0) {
      tick();
    }
  }
  EXPECT_NEAR(admission_.network_load(now_), 0.15, 0.01);
}

// As where admission was off when the daemon began.
TEST_F(UnmeasuredAdmission, LearnsWhatStreamsComeTo) {
  constexpr double kOfEach = 0.07;
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(begin());
  }
  work(2 * Seconds(Admission::kMemory), 9 * kOfEach);
  EXPECT_NEAR(begin_all(), 2, 1);
}

TEST(StepCostModel, IsWhatATokenCostsOnTopOfItsStep) {
  StepCostModel cost;
  EXPECT_EQ(cost.token_cost(), 0);
  for (int i = 0; i < 100; ++i) {
    cost.add(Seconds(0.00124), 1);
  }
  EXPECT_NEAR(cost.token_cost(), 0.00124, 1e-9) << "of steps of one size no more is known";
  for (int i = 0; i < 10; ++i) {
    cost.add(Seconds(0.001 + 64 * 0.00005), 64);
  }
  EXPECT_NEAR(cost.token_cost(), (0.0042 - 0.00124) / 63, 1e-9);
  StepCostModel all;
  all += cost;
  EXPECT_EQ(all.token_cost(), cost.token_cost());
}

TEST(StepCostModel, IsNeverNothing) {
  StepCostModel cost;
  cost.add(Seconds(0.01), 1);  // somebody else had the processor
  cost.add(Seconds(0.001), 10);
  EXPECT_NEAR(cost.token_cost(), 0.00005, 1e-6);
}

// Ten streams whose tokens come one by one: their steps are small, and most of a step's cost is its
// own, which more streams share.
TEST(SmallSteps, CountForWhatTheirTokensCost) {
  StepCostModel before;
  for (const double tokens : {1.0, 8.0, 32.0}) {
    before.add(Seconds(0.001 + tokens * 0.0001), tokens);
  }
  Admission admission({Seconds(0.2), 0.8});
  admission.add_model("de-en", before);
  TimePoint now{std::chrono::hours(1000)};
  for (int i = 0; i < 400; ++i, now += milliseconds(10)) {
    admission.worked(0, Seconds(0.0011), 1, now);
  }
  EXPECT_NEAR(admission.model_load(0, now), 0.01, 0.002) << "a hundred tokens a second";
}

// The same steps where others want the processor, too.
TEST(SmallSteps, TellHowMuchLongerTheyTakeThanBefore) {
  StepCostModel before;
  for (const double tokens : {1.0, 8.0, 32.0}) {
    before.add(Seconds(0.001 + tokens * 0.0001), tokens);
  }
  Admission admission({Seconds(0.2), 0.8});
  admission.add_model("de-en", before);
  TimePoint now{std::chrono::hours(1000)};
  for (int i = 0; i < 400; ++i, now += milliseconds(10)) {
    admission.worked(0, Seconds(0.0022), 1, now);
  }
  EXPECT_NEAR(admission.model_load(0, now), 0.02, 0.004);
}

TEST(StepCostModel, ForeseesWhatOtherStepsTake) {
  StepCostModel before;
  EXPECT_EQ(before.predict(StepCostModel()), 0);
  for (const double tokens : {1.0, 8.0, 32.0}) {
    before.add(Seconds(0.001 + tokens * 0.0001), tokens);
  }
  StepCostModel steps;
  steps.add(Seconds(1), 4);
  steps.add(Seconds(1), 100);
  EXPECT_NEAR(before.predict(steps), 2 * 0.001 + 104 * 0.0001, 1e-9);
  EXPECT_EQ(StepCostModel().predict(steps), 0) << "nothing is known";
}

TEST(DelayHistogram, KnowsQuantilesToAFifth) {
  DelayHistogram delays;
  EXPECT_EQ(delays.quantile(0.5), std::nullopt);
  for (int i = 1; i <= 1000; ++i) {
    delays.add(Seconds(i / 1000.0));
  }
  for (const double share : {0.05, 0.5, 0.95, 1.0}) {
    EXPECT_GE(delays.quantile(share)->count(), share * 0.999);
    EXPECT_LE(delays.quantile(share)->count(), share * 1.21);
  }
  delays.add(Seconds(1e9));
  delays.add(Seconds(-1));
  EXPECT_EQ(delays.count(), 1002U);
}

}  // namespace
}  // namespace surtitle
