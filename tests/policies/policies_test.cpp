#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "policies/full_sentence.h"
#include "policies/gma.h"
#include "policies/mma.h"
#include "policies/registry.h"
#include "policies/static_rw.h"
#include "policies/wait_k.h"

namespace surtitle {
namespace {

TEST(WaitK, SeesKTokensAtFirstAndOneMoreForEachTarget) {
  const WaitKPolicy policy(3);
  EXPECT_EQ(policy.visible_source(0, 0.9), 3);
  EXPECT_EQ(policy.visible_source(1, 0.9), 4);
  EXPECT_EQ(policy.visible_source(10, 500.0), 13);
}

TEST(WaitK, NeverPassesTheWholeSource) {
  EXPECT_EQ(WaitKPolicy(kWholeSource).visible_source(5, 0), kWholeSource);
  EXPECT_EQ(WaitKPolicy(1).visible_source(kWholeSource, 0), kWholeSource);
}

TEST(WaitK, RefusesKBelowOne) { EXPECT_THROW(WaitKPolicy{0}, std::invalid_argument); }

TEST(WaitK, CatchUpLeavesOutOneReadInEveryFourWrites) {
  const WaitKPolicy policy(2, 0.25F);
  const std::vector<int> reads = {2, 3, 4, 4, 5, 6, 7, 7, 8};
  for (std::size_t i = 0; i < reads.size(); ++i) {
    EXPECT_EQ(policy.visible_source(static_cast<int>(i), 0), reads[i]) << i;
  }
}

// The equation of Ma et al. with the target counted from 1, in exact arithmetic of tenths.
TEST(WaitK, CatchUpIsThePapersEquation) {
  for (int tenths = 0; tenths < 10; ++tenths) {
    const WaitKPolicy policy(4, static_cast<float>(tenths) / 10.0F);
    for (int t = 1; t <= 1000; ++t) {
      ASSERT_EQ(policy.visible_source(t - 1, 0), 4 + t - 1 - tenths * t / 10)
          << "c = 0." << tenths << ", t = " << t;
    }
  }
}

TEST(WaitK, CatchUpSeesAtLeastOneToken) {
  EXPECT_EQ(WaitKPolicy(1, 0.99F).visible_source(0, 0), 1);
  EXPECT_EQ(WaitKPolicy(1, 0.99F).visible_source(200, 0), 3);
}

TEST(WaitK, RefusesACatchUpThatWouldStopReading) {
  EXPECT_THROW((WaitKPolicy{3, 1.0F}), std::invalid_argument);
  EXPECT_THROW((WaitKPolicy{3, -0.1F}), std::invalid_argument);
  EXPECT_THROW((WaitKPolicy{3, std::nanf("")}), std::invalid_argument);
}

TEST(StaticRw, ReadsSThenAlternatesRunsOfWritesAndReads) {
  const StaticRwPolicy policy(5, 3);
  const std::vector<int> reads = {5, 5, 5, 8, 8, 8, 11, 11};
  for (std::size_t i = 0; i < reads.size(); ++i) {
    EXPECT_EQ(policy.visible_source(static_cast<int>(i), 0.9), reads[i]) << i;
  }
}

TEST(StaticRw, WithRunsOfOneIsWaitK) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(StaticRwPolicy(4, 1).visible_source(i, 0), WaitKPolicy(4).visible_source(i, 0));
  }
}

TEST(StaticRw, NeverPassesTheWholeSource) {
  EXPECT_EQ(StaticRwPolicy(kWholeSource, 2).visible_source(5, 0), kWholeSource);
  EXPECT_EQ(StaticRwPolicy(1, 2).visible_source(kWholeSource, 0), kWholeSource);
  EXPECT_EQ(StaticRwPolicy(1, kWholeSource).visible_source(5, 0), 1);
}

TEST(StaticRw, RefusesRunsBelowOne) {
  EXPECT_THROW((StaticRwPolicy{0, 1}), std::invalid_argument);
  EXPECT_THROW((StaticRwPolicy{1, 0}), std::invalid_argument);
}

TEST(FullSentence, SeesTheWholeSource) {
  EXPECT_EQ(FullSentencePolicy().visible_source(0, 0.9), kWholeSource);
}

// The first reads of the released code from p = 0.9.
TEST(Gma, FirstStepSeesWhatTheReleasedCodeSees) {
  EXPECT_EQ(GmaPolicy(0.9F).visible_source(0, 0.9F), 2);
  EXPECT_EQ(GmaPolicy(1.0F).visible_source(0, 0.9F), 2);
  EXPECT_EQ(GmaPolicy(2.0F).visible_source(0, 0.9F), 3);
  EXPECT_EQ(GmaPolicy(2.2F).visible_source(0, 0.9F), 4);
  EXPECT_EQ(GmaPolicy(2.4F).visible_source(0, 0.9F), 4);
  EXPECT_EQ(GmaPolicy(2.5F).visible_source(0, 0.9F), 4);
}

TEST(Gma, SumIsTakenInSinglePrecision) {
  // One float above 1.1: the exact sum with 0.9 is slightly more than 2 and rounds to 2.
  const float position = std::nextafter(1.1F, 2.0F);
  ASSERT_GT(static_cast<double>(position) + static_cast<double>(0.9F), 2.0);
  EXPECT_EQ(make_policy("gma:delta=0.9")->visible_source(0, position), 2);
}

TEST(Gma, SeesAtLeastOneToken) {
  EXPECT_EQ(GmaPolicy(0).visible_source(0, 0.0), 1);
  EXPECT_EQ(GmaPolicy(0).visible_source(0, -5.0), 1);
  EXPECT_EQ(GmaPolicy(0).visible_source(0, std::nan("")), 1);
}

TEST(Gma, NeverPassesTheWholeSource) {
  EXPECT_EQ(GmaPolicy(1e30F).visible_source(0, 0.9), kWholeSource);
  EXPECT_EQ(GmaPolicy(1).visible_source(0, std::numeric_limits<double>::infinity()), kWholeSource);
  EXPECT_EQ(GmaPolicy(0).visible_source(0, 2147483648.0), kWholeSource);
}

TEST(Gma, RefusesDeltaThatIsNegativeOrNotFinite) {
  EXPECT_THROW(GmaPolicy{-0.5F}, std::invalid_argument);
  EXPECT_THROW(GmaPolicy{std::nanf("")}, std::invalid_argument);
  EXPECT_THROW(GmaPolicy{std::numeric_limits<float>::infinity()}, std::invalid_argument);
}

TEST(Mma, SeesTheSourceUpToWhereTheFurthestHeadStopped) {
  for (int stop = 0; stop < 100; ++stop)
    EXPECT_EQ(MmaPolicy(0.5F).visible_source(/*target_index=*/3, stop), stop + 1);
}

TEST(Mma, TellsHeadsWhenToStop) {
  EXPECT_EQ(make_policy("mma")->stop_threshold(), 0.5F);
  EXPECT_EQ(make_policy("mma:threshold=0.75")->stop_threshold(), 0.75F);
  EXPECT_EQ(make_policy("wait-k")->stop_threshold(), 0.5F);
}

constexpr std::array kEveryPolicy = {"gma:delta=0",
                                     "gma:delta=0.9",
                                     "gma:delta=3",
                                     "wait-k:k=1",
                                     "wait-k:k=9",
                                     "wait-k:k=2,catchup=0.25",
                                     "wait-k:k=1,catchup=0.999",
                                     "static-rw:s=1,rw=1",
                                     "static-rw:s=3,rw=4",
                                     "mma",
                                     "mma:threshold=0.9",
                                     "full-sentence",
                                     "local-agreement",
                                     "alignatt:f=3",
                                     "mu"};

class EveryPolicy : public testing::TestWithParam<const char*> {};

TEST_P(EveryPolicy, IsMonotoneInTargetIndexAndPositionAndAtLeastOne) {
  const PolicyPtr policy = make_policy(GetParam());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> step(0.0, 2.0);
  double position = 0.0;
  int before = 1;
  for (int index = 0; index < 1000; ++index) {
    position += step(random);
    const int visible = policy->visible_source(index, position);
    ASSERT_GE(visible, before);
    ASSERT_LE(visible, kWholeSource);
    before = visible;
  }
}

// The count as a device computes it, in float32 throughout.
int count_from(float position, float alignment_offset) {
  const float count = std::ceil(position + alignment_offset);
  if (!(count > 1)) return 1;
  return count < 2147483648.0F ? static_cast<int>(count) : kWholeSource;
}

TEST_P(EveryPolicy, SaysHowItLooksAtAlignment) {
  const PolicyPtr policy = make_policy(GetParam());
  const auto alignment_offset = policy->alignment_offset();
  std::mt19937 random(9);
  std::uniform_real_distribution<float> exponent(-3.0F, 12.0F);
  for (int i = 0; i < 10'000; ++i) {
    const auto index = static_cast<int>(random() % 2000);
    float position = std::pow(2.0F, exponent(random));
    if (i % 3 == 0) position = std::round(position);  // a value at which the ceiling changes
    if (i % 3 == 1 && alignment_offset)
      position = std::nextafter(4.0F - *alignment_offset, i % 2 ? 0.0F : 9.0F);
    const int expected = alignment_offset ? count_from(position, *alignment_offset)
                                          : policy->visible_source(index, /*aligned_position=*/0.9);
    ASSERT_EQ(policy->visible_source(index, position), expected) << position;
  }
}

TEST(Policies, EveryRegisteredOneIsTestedHere) {
  for (const PolicyHelp& help : policy_help())
    EXPECT_TRUE(std::any_of(kEveryPolicy.begin(), kEveryPolicy.end(), [&](const char* spec) {
      return make_policy(spec)->name() == help.name;
    })) << help.name;
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, testing::ValuesIn(kEveryPolicy));

}  // namespace
}  // namespace surtitle
