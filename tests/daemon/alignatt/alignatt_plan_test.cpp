#include "daemon/alignatt/alignatt_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surtitle::alignatt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> models{
      {.name = "de-en-gma",
       .source_language = "de",
       .target_language = "en",
       .policies = {"gma"},
       .default_policy = "gma:delta=1",
       .source_forms = {}},
      {.name = "de-en-multipath",
       .source_language = "de",
       .target_language = "en",
       .policies = {"wait-k"},
       .default_policy = "wait-k:k=5",
       .source_forms = {}},
      {.name = "de-en-attentive",
       .source_language = "de",
       .target_language = "en",
       .policies = {"alignatt", "wait-k"},
       .default_policy = "alignatt:f=2",
       .source_forms = {}},
      {.name = "en-de-gma",
       .source_language = "en",
       .target_language = "de",
       .policies = {"gma"},
       .default_policy = "gma:delta=1",
       .source_forms = {}},
  };
  return models;
}

Plan planned(const Init& init, const UrlQuery& query = {}) {
  auto result = plan(init, query, models(), {.model = "de-en-multipath", .policy = {}});
  if (const auto* error = std::get_if<Error>(&result)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<Plan>(result);
}

Error refused(const Init& init, const UrlQuery& query = {}) {
  auto result = plan(init, query, models(), {.model = "de-en-multipath", .policy = {}});
  return std::holds_alternative<Error>(result) ? std::get<Error>(result) : Error{};
}

TEST(AlignattPlan, TakesTheDefaultModelAndPolicy) {
  const Plan plan = planned({"de", "en"});
  EXPECT_EQ(plan.direction, "de-en");
  EXPECT_EQ(plan.start.model, "de-en-multipath");
  EXPECT_EQ(plan.start.policy, "wait-k:k=5");
  EXPECT_EQ(plan.start.target_prefix, std::nullopt);
}

TEST(AlignattPlan, LatencyChangesTheParameterOfTheDefaultPolicy) {
  EXPECT_EQ(planned({"de", "en", {}, 0}).start.policy, "wait-k:k=3");
  EXPECT_EQ(planned({"de", "en", {}, 1}).start.policy, "wait-k:k=9");
  EXPECT_EQ(planned({"de", "en", "low"}).start.policy, "wait-k:k=3");
  EXPECT_EQ(planned({"de", "en", "balanced", 0}).start.policy, "wait-k:k=5");
  EXPECT_EQ(planned({"en", "de", "quality"}).start.policy, "gma:delta=3");
}

TEST(AlignattPlan, LatencyChangesTheHeldWordsOfAlignAtt) {
  const UrlQuery query{{}, {}, "de-en-attentive"};
  EXPECT_EQ(planned({"de", "en", "low"}, query).start.policy, "alignatt:f=1");
  EXPECT_EQ(planned({"de", "en", "balanced"}, query).start.policy, "alignatt:f=2");
  EXPECT_EQ(planned({"de", "en", "quality"}, query).start.policy, "alignatt:f=4");
}

TEST(AlignattPlan, PresetPrecedesTheUrlAndThatTheLatency) {
  EXPECT_EQ(planned({"de", "en", "wait-k:k=2"}, {{}, "wait-k:k=7"}).start.policy, "wait-k:k=2");
  EXPECT_EQ(planned({"de", "en", {}, 1}, {{}, "wait-k:k=7"}).start.policy, "wait-k:k=7");
  EXPECT_EQ(planned({"de", "en", "low"}, {{}, "wait-k:k=7"}).start.policy, "wait-k:k=3");
  const Plan gma = planned({"de", "en", "low"}, {{}, {}, "de-en-gma"});
  EXPECT_EQ(gma.start.model, "de-en-gma");
  EXPECT_EQ(gma.start.policy, "gma:delta=0.5");
}

TEST(AlignattPlan, ContinuesAnAcceptedText) {
  Init init{"de", "en"};
  init.accepted_target_prefix = "Good";
  EXPECT_EQ(planned(init).start.target_prefix, "Good");
}

TEST(AlignattPlan, TermsOfTheContextAreTheGlossary) {
  Init init{"de", "en"};
  init.context_text = "A talk about heating.\nWärmepumpe = heat pump; Kessel -> boiler";
  EXPECT_THAT(planned(init).start.glossary,
              ElementsAre(protocol::GlossaryEntry{"Wärmepumpe", "heat pump"},
                          protocol::GlossaryEntry{"Kessel", "boiler"}));
}

TEST(AlignattPlan, AutoIsTheOnlySourceOfTheTarget) {
  EXPECT_EQ(planned({"auto", "en"}).direction, "de-en");
  EXPECT_EQ(refused({"auto", "fr"}).code, "unsupported_direction");
}

TEST(AlignattPlan, NamesTheDirections) {
  const Error error = refused({"de", "fr"});
  EXPECT_EQ(error.code, "unsupported_direction");
  EXPECT_THAT(error.supported, ElementsAre("de-en", "en-de"));
}

TEST(AlignattPlan, ErrorsNameWhatIsAllowed) {
  const Error preset = refused({"de", "en", "gemma_low_latency"});
  EXPECT_EQ(preset.code, "unknown_preset");
  EXPECT_THAT(preset.message, HasSubstr("allowed: quality, balanced, low, or a policy: gma"));
  EXPECT_EQ(refused({"de", "en"}, {{}, "gma:delta=x"}).code, "bad_policy");
  EXPECT_EQ(refused({"de", "en"}, {{}, {}, "fr-en"}).code, "unknown_model");
}

}  // namespace
}  // namespace surtitle::alignatt
