#include "policies/spec_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace surtitle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& spec) {
  try {
    SpecRange(spec).steps();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SpecRange, StepsThroughWholeNumbersByOne) {
  EXPECT_THAT(SpecRange("wait-k:k=1..3").steps(),
              ElementsAre("wait-k:k=1", "wait-k:k=2", "wait-k:k=3"));
}

TEST(SpecRange, StepsAsFarAsTheStepSaysAndReachesTheEnd) {
  EXPECT_THAT(SpecRange("gma:delta=0.1..0.5/0.1").steps(),
              ElementsAre("gma:delta=0.1", "gma:delta=0.2", "gma:delta=0.3", "gma:delta=0.4",
                          "gma:delta=0.5"));
  EXPECT_THAT(SpecRange("wait-k:k=1..6/2").steps(),
              ElementsAre("wait-k:k=1", "wait-k:k=3", "wait-k:k=5"));
  EXPECT_THAT(SpecRange("gma:delta=1..2/0.5").steps(),
              ElementsAre("gma:delta=1", "gma:delta=1.5", "gma:delta=2"));
}

TEST(SpecRange, TakesASpecWithoutARangeAsItIs) {
  EXPECT_THAT(SpecRange("full-sentence").steps(), ElementsAre("full-sentence"));
  EXPECT_EQ(SpecRange("gma:delta=1.5").at_fraction(0.9), "gma:delta=1.5");
}

TEST(SpecRange, SharesItsStepsEqually) {
  const SpecRange range("wait-k:k=1..4");
  EXPECT_EQ(range.at_fraction(0), "wait-k:k=1");
  EXPECT_EQ(range.at_fraction(0.49), "wait-k:k=2");
  EXPECT_EQ(range.at_fraction(0.999), "wait-k:k=4");
  EXPECT_EQ(SpecRange("gma:delta=0.5..1.5/0.5").at_fraction(0.4), "gma:delta=1");
  EXPECT_EQ(SpecRange("gma:delta=0.5..1.5").at_fraction(0.4), "gma:delta=0.9");
}

TEST(SpecRange, SaysWhatIsWrong) {
  EXPECT_THAT(refusal("gma:delta=0.5..3"), HasSubstr("needs a step: LOW..HIGH/STEP"));
  EXPECT_THAT(refusal("gma:delta=0.5..3/0"), HasSubstr("step must be above 0"));
  EXPECT_THAT(refusal("gma:delta=0.5..3/x"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(refusal("gma:delta=0.5..3/1e-9"), HasSubstr("more than 1000 steps"));
  EXPECT_THAT(refusal("gma:delta=3..0.5/1"), HasSubstr("low end is above its high end"));
  EXPECT_THAT(refusal("wait-k:0..9"), HasSubstr("KEY=LOW..HIGH"));
  EXPECT_THAT(refusal("wait-k:k=0..9"), HasSubstr("k must be at least 1"));
  EXPECT_THAT(refusal("hope:k=1..9"), HasSubstr("unknown policy 'hope'"));
}

}  // namespace
}  // namespace surtitle
