#include "daemon/stream_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surtitle {
namespace {

using protocol::ErrorCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> models{
      {"de-en-gma", "de", "en", {"gma"}, "gma:delta=1", 512, 64},
      {"de-en-multipath", "de", "en", {"wait-k", "full-sentence"}, "wait-k:k=3", 512, 64},
      {"fr-en", "fr", "en", {"gma"}, "gma:delta=2", 512, 64},
  };
  return models;
}

protocol::Start start(std::optional<std::string> model, std::optional<std::string> policy,
                      const std::string& source = "de") {
  return {source, "en", std::move(model), std::move(policy), {}, false};
}

StreamPlan plan(const protocol::Start& wanted, const PlanDefaults& defaults = {}) {
  return std::get<StreamPlan>(plan_stream(wanted, models(), defaults));
}

protocol::Error error(const protocol::Start& wanted) {
  return std::get<protocol::Error>(plan_stream(wanted, models(), {}));
}

TEST(StreamPlan, TakesTheFirstModelOfTheLanguagesAndItsPolicy) {
  EXPECT_EQ(plan(start({}, {})).model, 0U);
  EXPECT_EQ(plan(start({}, {})).policy->spec(), "gma:delta=1");
  EXPECT_EQ(plan(start({}, {}, "fr")).model, 2U);
}

TEST(StreamPlan, TakesTheModelThatWasTrainedForThePolicy) {
  EXPECT_EQ(plan(start({}, "wait-k:k=5")).model, 1U);
  EXPECT_THAT(plan(start({}, "wait-k:k=5")).warnings, IsEmpty());
  EXPECT_EQ(plan(start({}, "gma:delta=3")).model, 0U);
}

TEST(StreamPlan, WarnsOfAPolicyThatTheModelWasNotTrainedFor) {
  EXPECT_THAT(plan(start("de-en-gma", "wait-k")).warnings,
              ElementsAre("policy wait-k: model de-en-gma was trained for gma"));
}

TEST(StreamPlan, FollowsTheDefaults) {
  EXPECT_EQ(plan(start({}, {}), {"de-en-multipath", {}}).model, 1U);
  EXPECT_EQ(plan(start({}, {}, "fr"), {"de-en-multipath", {}}).model, 2U);
  EXPECT_EQ(plan(start({}, {}), {{}, "full-sentence"}).policy->spec(), "full-sentence");
  EXPECT_EQ(plan(start({}, "gma"), {"de-en-multipath", "full-sentence"}).model, 0U);
}

TEST(StreamPlan, SaysWhatThereIs) {
  EXPECT_EQ(error(start("x", {})).code, ErrorCode::kUnknownModel);
  EXPECT_THAT(error(start("x", {})).message, HasSubstr("de-en-gma, de-en-multipath, fr-en"));
  EXPECT_EQ(error(start({}, {}, "es")).code, ErrorCode::kUnsupportedLanguages);
  EXPECT_THAT(error(start({}, {}, "es")).message, HasSubstr("de to en, fr to en"));
  EXPECT_EQ(error(start("fr-en", {})).code, ErrorCode::kUnsupportedLanguages);
  EXPECT_EQ(error(start({}, "greedy")).code, ErrorCode::kBadPolicy);
  EXPECT_THAT(error(start({}, "gma:delta=-1")).message, HasSubstr("delta"));
}

}  // namespace
}  // namespace surtitle
