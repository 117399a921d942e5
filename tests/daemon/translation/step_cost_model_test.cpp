// The cost of decoder steps.
#include "daemon/translation/step_cost_model.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

TEST(StepCostModel, SeparatesTheCostOfTokensFromThatOfSteps) {
  StepCostModel cost;
  EXPECT_EQ(cost.token_cost(), 0);
  for (int i = 0; i < 100; ++i) {
    cost.add(Seconds(0.00124), 1);
  }
  EXPECT_NEAR(cost.token_cost(), 0.00124, 1e-9) << "steps of one size do not separate the two";
  for (int i = 0; i < 10; ++i) {
    cost.add(Seconds(0.001 + 64 * 0.00005), 64);
  }
  EXPECT_NEAR(cost.token_cost(), (0.0042 - 0.00124) / 63, 1e-9);
  StepCostModel all;
  all += cost;
  EXPECT_EQ(all.token_cost(), cost.token_cost());
}

TEST(StepCostModel, IsNeverZero) {
  StepCostModel cost;
  cost.add(Seconds(0.01), 1);  // another process had the processor
  cost.add(Seconds(0.001), 10);
  EXPECT_NEAR(cost.token_cost(), 0.00005, 1e-6);
}

TEST(StepCostModel, PredictsTheTimeOfOtherSteps) {
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

}  // namespace
}  // namespace surtitle
