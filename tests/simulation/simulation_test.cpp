// The daemon, its senders and its viewers on one thread and one clock, with faults. See README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/simulation/simulation_run.h"

namespace surtitle {
namespace {

using ::testing::IsEmpty;

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 300;
  bool print = false;
};

// SURTITLE_SEED=17 runs that seed alone and prints its events; SURTITLE_SEED=1-5000 runs all of
// these.
Seeds seeds() {
  const char* wanted = std::getenv("SURTITLE_SEED");
  if (wanted == nullptr) {
    return {};
  }
  char* end = nullptr;
  const std::uint64_t first = std::strtoull(wanted, &end, 10);
  return *end == '-' ? Seeds{first, std::strtoull(end + 1, nullptr, 10), false}
                     : Seeds{first, first, true};
}

class SimulationTest : public ::testing::Test {
 protected:
  void SetUp() override { spdlog::set_level(spdlog::level::off); }
};

void expect_the_undisturbed_transcripts(std::uint64_t seed, bool print, Tally& tally) {
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  SimulationRun calm(seed, SimulationRun::Kind::kCalm, /*print=*/false);
  ASSERT_THAT(calm.run(), IsEmpty());
  SimulationRun rough(seed, SimulationRun::Kind::kRough, print);
  ASSERT_THAT(rough.run(), IsEmpty());
  const auto undisturbed = calm.transcripts();
  for (const auto& [channel, transcript] : rough.transcripts()) {
    EXPECT_EQ(transcript, undisturbed.at(channel)) << channel;
  }
  tally += rough.tally();
}

TEST_F(SimulationTest, SeedsThatFoundFaultsFindNone) {
  Tally tally;
  for (const std::uint64_t seed : {8667, 9130}) {
    expect_the_undisturbed_transcripts(seed, /*print=*/false, tally);
  }
}

TEST_F(SimulationTest, EveryTranscriptIsThatOfAnUndisturbedRun) {
  const Seeds all = seeds();
  Tally tally;
  for (std::uint64_t seed = all.first; seed <= all.last && !HasFailure(); ++seed) {
    expect_the_undisturbed_transcripts(seed, all.print, tally);
  }
  std::printf(
      "seeds %llu to %llu: %d messages acknowledged, %d kills, %d restarts, %d cuts, %d readers "
      "that stood still, %d refused transactions, %d senders rejected; %d resumed, %d snapshots\n",
      static_cast<unsigned long long>(all.first), static_cast<unsigned long long>(all.last),
      tally.words, tally.kills, tally.restarts, tally.cuts, tally.stills, tally.disk_failures,
      tally.overloaded, tally.resumed, tally.caught_up);
}

// Every message is the same as without changes of the calendar, and is sent at the same nanosecond.
TEST_F(SimulationTest, NothingDependsOnTheCalendarWhileItRuns) {
  int set = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    SimulationRun steady(seed, SimulationRun::Kind::kCalm, /*print=*/false);
    SimulationRun jumping(seed, SimulationRun::Kind::kCalendar, /*print=*/false);
    ASSERT_THAT(steady.run(), IsEmpty());
    ASSERT_THAT(jumping.run(), IsEmpty());
    EXPECT_EQ(jumping.talk_hash(), steady.talk_hash());
    set += jumping.tally().calendars;
  }
  EXPECT_GT(set, 500);
}

TEST_F(SimulationTest, MachineThatSleepsLosesNoWordAndEndsNoStream) {
  int sleeps = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    SimulationRun awake(seed, SimulationRun::Kind::kCalm, /*print=*/false);
    SimulationRun sleepy(seed, SimulationRun::Kind::kSleepy, /*print=*/false);
    ASSERT_THAT(awake.run(), IsEmpty());
    ASSERT_THAT(sleepy.run(), IsEmpty());
    EXPECT_EQ(sleepy.transcripts(), awake.transcripts());
    EXPECT_EQ(sleepy.tally().finished, awake.tally().finished);
    sleeps += sleepy.tally().sleeps;
  }
  EXPECT_GT(sleeps, 200);
}

TEST_F(SimulationTest, TheSameSeedIsTheSameRun) {
  std::uint64_t last = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulationRun one(seed, SimulationRun::Kind::kRough, /*print=*/false);
    SimulationRun other(seed, SimulationRun::Kind::kRough, /*print=*/false);
    EXPECT_EQ(one.run(), other.run()) << seed;
    EXPECT_EQ(one.trace_hash(), other.trace_hash()) << seed;
    EXPECT_NE(one.trace_hash(), last) << seed;
    last = one.trace_hash();
  }
}

}  // namespace
}  // namespace surtitle
