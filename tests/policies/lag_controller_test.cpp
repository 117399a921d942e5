#include "policies/lag_controller.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "policies/gma.h"
#include "policies/wait_k.h"

namespace surtitle {
namespace {

double parameter_of(const PolicyPtr& policy) {
  if (const auto* gma = dynamic_cast<const GmaPolicy*>(policy.get())) {
    return gma->delta();
  }
  if (const auto drafting = policy->drafting()) return drafting->held_words;
  return dynamic_cast<const WaitKPolicy&>(*policy).k();
}

// Returns the mean lag of the last sentences of a model whose lag is base + slope * parameter, with
// noise. A sentence's policy is chosen two sentences before it is complete.
double lag_after(const char* policy, double wanted, double base, double slope) {
  LagController controller(wanted, policy);
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.6);
  double before = parameter_of(controller.policy());
  double sum = 0;
  constexpr int kSentences = 400;
  for (int i = 0; i < kSentences; ++i) {
    const double al = base + slope * before + noise(random);
    before = parameter_of(controller.policy());
    controller.update(al);
    sum += i >= kSentences / 2 ? al : 0;
  }
  return sum / (kSentences / 2);
}

TEST(LagController, HoldsTheLagOfGma) {
  EXPECT_NEAR(lag_after("gma", 3, 1.7, 0.7), 3, 0.25);
  EXPECT_NEAR(lag_after("gma", 2.5, 0.5, 0.7), 2.5, 0.25);
}

TEST(LagController, HoldsTheLagOfWaitK) { EXPECT_NEAR(lag_after("wait-k", 4, 0.3, 0.75), 4, 0.4); }

TEST(LagController, HoldsTheLagOfAlignAtt) {
  EXPECT_NEAR(lag_after("alignatt", 3, 1.1, 1.1), 3, 0.4);
  EXPECT_NEAR(lag_after("alignatt", 6, 1.1, 1.1), 6, 0.4);
}

TEST(LagController, BeginsNearTheLag) {
  EXPECT_EQ(LagController(2, "alignatt").policy()->spec(), "alignatt:f=1");
  EXPECT_EQ(LagController(3, "alignatt").policy()->spec(), "alignatt:f=2");
  EXPECT_EQ(LagController(5, "alignatt").policy()->spec(), "alignatt:f=4");
  EXPECT_EQ(LagController(2, "gma").policy()->spec(), "gma:delta=1");
  EXPECT_EQ(LagController(0.5, "wait-k").policy()->spec(), "wait-k:k=1");
}

TEST(LagController, StaysWithinItsRangeWhereTheLagCannotBeHeld) {
  LagController slow(1, "gma");
  LagController fast(50, "wait-k");
  LagController attentive(50, "alignatt");
  for (int i = 0; i < 100; ++i) {
    slow.update(9);
    fast.update(0);
    attentive.update(0);
  }
  EXPECT_EQ(parameter_of(slow.policy()), 0);
  EXPECT_EQ(parameter_of(fast.policy()), 20);
  EXPECT_EQ(parameter_of(attentive.policy()), 12);
}

TEST(LagController, SaysWhetherThePolicyIsAnotherOne) {
  LagController controller(3, "wait-k");
  EXPECT_EQ(controller.policy()->spec(), "wait-k:k=3");
  EXPECT_FALSE(controller.update(3));
  EXPECT_EQ(controller.policy()->spec(), "wait-k:k=3");
  EXPECT_TRUE(controller.update(1));
  EXPECT_EQ(controller.policy()->spec(), "wait-k:k=4");
}

TEST(LagController, IsAskedForLikeAPolicy) {
  EXPECT_EQ(parse_policy_request("auto").lag, 3);
  EXPECT_EQ(parse_policy_request("auto:lag=2.5").lag, 2.5);
  EXPECT_EQ(LagController(2.5, "gma").spec(), "auto:lag=2.5");
  EXPECT_EQ(parse_policy_request("gma:delta=2").policy->spec(), "gma:delta=2");
  for (const char* bad :
       {"auto:lag=0", "auto:lag=-1", "auto:lag=1000", "auto:delay=3", "automatic"}) {
    EXPECT_THROW(parse_policy_request(bad), std::invalid_argument) << bad;
  }
}

TEST(LagController, SteersWhatHasAParameterOfDelay) {
  EXPECT_TRUE(LagController::can_steer("gma"));
  EXPECT_TRUE(LagController::can_steer("wait-k"));
  EXPECT_TRUE(LagController::can_steer("alignatt"));
  EXPECT_FALSE(LagController::can_steer("full-sentence"));
  EXPECT_FALSE(LagController::can_steer("local-agreement"));
}

}  // namespace
}  // namespace surtitle
