#include "daemon/translation/stream_plan.h"

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
      {"de-en-gma", "de", "en", {"gma"}, "gma:delta=1", {TextForm::kWritten}, 512, 64},
      {"de-en-multipath",
       "de",
       "en",
       {"wait-k", "full-sentence"},
       "wait-k:k=3",
       {TextForm::kWritten},
       512,
       64},
      {"fr-en",
       "fr",
       "en",
       {"gma"},
       "gma:delta=2",
       {TextForm::kWritten, TextForm::kSpoken},
       512,
       64},
      {"de-es", "de", "es", {"full-sentence"}, "full-sentence", {TextForm::kWritten}, 512, 64},
  };
  return models;
}

protocol::Start start(std::optional<std::string> model, std::optional<std::string> policy,
                      const std::string& source = "de") {
  return {source, "en", std::move(model), std::move(policy), {}, {}};
}

StreamPlan plan_all(const protocol::Start& wanted, const PlanDefaults& defaults = {}) {
  return std::get<StreamPlan>(plan_stream(wanted, models(), defaults));
}

TrackPlan plan(const protocol::Start& wanted, const PlanDefaults& defaults = {}) {
  return plan_all(wanted, defaults).tracks.front();
}

protocol::Error error(const protocol::Start& wanted) {
  return std::get<protocol::Error>(plan_stream(wanted, models(), {}));
}

TEST(StreamPlan, SelectsTheFirstModelOfTheLanguagesAndItsPolicy) {
  EXPECT_EQ(plan(start({}, {})).model, 0U);
  EXPECT_EQ(plan(start({}, {})).policy->spec(), "gma:delta=1");
  EXPECT_EQ(plan(start({}, {}, "fr")).model, 2U);
}

TEST(StreamPlan, SelectsTheModelThatWasTrainedForThePolicy) {
  EXPECT_EQ(plan(start({}, "wait-k:k=5")).model, 1U);
  EXPECT_THAT(plan_all(start({}, "wait-k:k=5")).warnings, IsEmpty());
  EXPECT_EQ(plan(start({}, "gma:delta=3")).model, 0U);
}

TEST(StreamPlan, AcceptsLanguagesInAnySpellingAndOfAnyRegion) {
  for (const char* source : {"DE", "de-DE", "de_AT", "De-latn-ch"}) {
    EXPECT_EQ(plan(start({}, {}, source)).model, 0U) << source;
    EXPECT_EQ(plan(start("de-en-multipath", {}, source)).model, 1U) << source;
  }
  protocol::Start wanted = start({}, {});
  wanted.target = "en_gb";
  EXPECT_EQ(plan(wanted).target, "en-GB");
  wanted.target = "english";
  EXPECT_EQ(error(wanted).code, ErrorCode::kUnsupportedLanguages);
}

TEST(StreamPlan, SelectsTheTargetOfAModelOfSeveral) {
  std::vector<ModelInfo> several{models()[3]};
  several[0].other_targets = {"pt", "zh-Hans", "pt-BR"};
  protocol::Start wanted = start({}, {});
  for (const auto& [target, index] : {std::pair("es", 0), {"pt", 1}, {"zh", 2}, {"pt-BR", 3}}) {
    wanted.target = target;
    const TrackPlan track = std::get<StreamPlan>(plan_stream(wanted, several, {})).tracks.front();
    EXPECT_EQ(track.model_target, index) << target;
    const auto after = std::get<ChangePlan>(plan_change({}, track, {}, several)).track;
    EXPECT_EQ(after.model_target, index) << target;
    EXPECT_EQ(after.target, several[0].target_language_at(index)) << target;
  }
  wanted.target = "en";
  EXPECT_THAT(std::get<protocol::Error>(plan_stream(wanted, several, {})).message,
              HasSubstr("allowed: de to es, de to pt, de to zh-Hans, de to pt-BR"));
}

TEST(StreamPlan, PrefersTheModelOfTheRequestedRegion) {
  std::vector<ModelInfo> regions{models()[0], models()[0], models()[0]};
  regions[0].target_language = "en-GB";
  regions[2].target_language = "en-US";
  const auto chosen = [&](const std::string& target) {
    protocol::Start wanted = start({}, "wait-k");
    wanted.target = target;
    return std::get<StreamPlan>(plan_stream(wanted, regions, {})).tracks.front().model;
  };
  EXPECT_EQ(chosen("en-us"), 2U);
  EXPECT_EQ(chosen("en"), 1U);
  EXPECT_EQ(chosen("en-AU"), 1U);
}

TEST(StreamPlan, WarnsOfAPolicyThatTheModelWasNotTrainedFor) {
  EXPECT_THAT(plan_all(start("de-en-gma", "wait-k")).warnings,
              ElementsAre("policy wait-k: model de-en-gma was trained for gma"));
}

TEST(StreamPlan, FollowsTheDefaults) {
  EXPECT_EQ(plan(start({}, {}), {"de-en-multipath", {}}).model, 1U);
  EXPECT_EQ(plan(start({}, {}, "fr"), {"de-en-multipath", {}}).model, 2U);
  EXPECT_EQ(plan(start({}, {}), {{}, "full-sentence"}).policy->spec(), "full-sentence");
  EXPECT_EQ(plan(start({}, "gma"), {"de-en-multipath", "full-sentence"}).model, 0U);
}

TEST(StreamPlan, ErrorsListWhatIsAvailable) {
  EXPECT_EQ(error(start("x", {})).code, ErrorCode::kUnknownModel);
  EXPECT_THAT(error(start("x", {})).message, HasSubstr("de-en-gma, de-en-multipath, fr-en, de-es"));
  EXPECT_EQ(error(start({}, {}, "it")).code, ErrorCode::kUnsupportedLanguages);
  EXPECT_THAT(error(start({}, {}, "it")).message, HasSubstr("de to en, fr to en, de to es"));
  EXPECT_EQ(error(start("fr-en", {})).code, ErrorCode::kUnsupportedLanguages);
  EXPECT_EQ(error(start({}, "greedy")).code, ErrorCode::kBadPolicy);
  EXPECT_THAT(error(start({}, "gma:delta=-1")).message, HasSubstr("delta"));
}

protocol::Start with_tracks(std::vector<protocol::TrackRequest> tracks) {
  protocol::Start wanted = start({}, {});
  wanted.tracks = std::move(tracks);
  return wanted;
}

TEST(StreamPlan, GivesEachTrackItsLanguageModelAndPolicy) {
  const StreamPlan planned = plan_all(with_tracks(
      {{"spanish", "es", {}, {}}, {"slow", {}, {}, "wait-k:k=7"}, {"same", {}, {}, {}}}));
  ASSERT_EQ(planned.tracks.size(), 4U);
  EXPECT_EQ(planned.tracks[0].name, "");
  EXPECT_EQ(planned.tracks[1].name, "spanish");
  EXPECT_EQ(planned.tracks[1].target, "es");
  EXPECT_EQ(planned.tracks[1].model, 3U);
  EXPECT_EQ(planned.tracks[2].target, "en");
  EXPECT_EQ(planned.tracks[2].model, 1U);
  EXPECT_EQ(planned.tracks[2].policy_spec(), "wait-k:k=7");
  EXPECT_EQ(planned.tracks[3].model, 0U);
}

TEST(StreamPlan, NamesTheTrackOfAnErrorOrWarning) {
  EXPECT_THAT(error(with_tracks({{"it", "it", {}, {}}})).message,
              HasSubstr("track it: no model translates from 'de' to 'it'"));
  EXPECT_THAT(plan_all(with_tracks({{"odd", {}, "de-en-gma", "wait-k"}})).warnings,
              ElementsAre("track odd: policy wait-k: model de-en-gma was trained for gma"));
}

TEST(StreamPlan, HoldsALagWithAPolicyThatTheModelWasTrainedFor) {
  EXPECT_EQ(plan(start({}, "auto:lag=2")).lag->policy()->name(), "gma");
  EXPECT_EQ(plan(start("de-en-multipath", "auto")).lag->policy()->name(), "wait-k");
  EXPECT_EQ(plan(start("de-en-multipath", "auto")).policy_spec(), "auto:lag=3");
  protocol::Start spanish = start({}, "auto");
  spanish.target = "es";
  EXPECT_EQ(error(spanish).code, ErrorCode::kBadPolicy);
  EXPECT_THAT(error(spanish).message, HasSubstr("model de-es was trained for full-sentence"));
  spanish.policy.reset();  // an impossible default is ignored
  EXPECT_EQ(plan(spanish, {{}, "auto"}).policy_spec(), "full-sentence");
  EXPECT_EQ(plan(start({}, {}), {{}, "auto"}).policy_spec(), "auto:lag=3");
}

TEST(StreamPlan, SteersTheFirstPolicyThatHasADelay) {
  auto attentive = models();
  attentive[1].policies = {"alignatt", "wait-k", "full-sentence"};
  const auto planned =
      std::get<StreamPlan>(plan_stream(start("de-en-multipath", "auto:lag=3"), attentive, {}));
  EXPECT_EQ(planned.tracks.front().lag->policy()->spec(), "alignatt:f=2");
  EXPECT_THAT(planned.warnings, IsEmpty());
}

TEST(StreamPlan, WarnsOfAPolicyThatTheDeviceDoesNotSupport) {
  EXPECT_THAT(plan_all(start("de-en-multipath", "alignatt")).warnings, IsEmpty());
  auto limited = models();
  limited[1].supports_alignatt = false;
  const auto warnings = [&](const char* policy) {
    return std::get<StreamPlan>(plan_stream(start("de-en-multipath", policy), limited, {}))
        .warnings;
  };
  EXPECT_THAT(warnings("alignatt"),
              ElementsAre("policy alignatt: the device of model de-en-multipath does not support "
                          "it, and the translation waits for the end of each sentence; use "
                          "wait-k, full-sentence, or the device cpu"));
  EXPECT_THAT(warnings("local-agreement"), IsEmpty());
}

TEST(StreamPlan, WarnsOfAFormOfTextThatTheModelWasNotTrainedOn) {
  protocol::Start spoken = start({}, {});
  spoken.source_form = TextForm::kSpoken;
  EXPECT_THAT(plan_all(spoken).warnings,
              ElementsAre("source form spoken: model de-en-gma was not trained on such text"));
  spoken.source = "fr";
  EXPECT_THAT(plan_all(spoken).warnings, IsEmpty());
}

TEST(StreamPlan, WarnsOfADeviceThatShowsNoAttention) {
  protocol::Start asked = start({}, {});
  EXPECT_THAT(plan_all(asked).warnings, IsEmpty());
  asked.attention = true;
  EXPECT_THAT(plan_all(asked).warnings,
              ElementsAre("attention: model de-en-gma runs on a device that does not provide it"));
  auto shown = models();
  for (ModelInfo& model : shown) {
    model.supports_attention = true;
  }
  EXPECT_THAT(std::get<StreamPlan>(plan_stream(asked, shown, {})).warnings, IsEmpty());
}

std::variant<ChangePlan, protocol::Error> change(const protocol::Configure& configure,
                                                 const TrackPlan& track) {
  return plan_change(configure, track, {}, models());
}

TrackPlan changed(const protocol::Configure& configure, const TrackPlan& track) {
  return std::get<ChangePlan>(change(configure, track)).track;
}

TEST(StreamPlan, ChangeKeepsWhatItDoesNotName) {
  const TrackPlan track = plan(start({}, "gma:delta=3"));
  const auto same = changed({}, track);
  EXPECT_EQ(same.model, 0U);
  EXPECT_EQ(same.policy_spec(), "gma:delta=3");
  const auto other = changed({{}, {}, "auto:lag=2", {}}, track);
  EXPECT_EQ(other.policy_spec(), "auto:lag=2");
  EXPECT_EQ(changed({}, other).policy_spec(), "auto:lag=2");
  const auto model = changed({{}, "de-en-multipath", {}, {}}, track);
  EXPECT_EQ(model.model, 1U);
  EXPECT_EQ(model.policy_spec(), "wait-k:k=3");
}

TEST(StreamPlan, ChangeWarnsOfWhatTheModelWasNotTrainedFor) {
  const auto warnings = [](const protocol::Configure& configure) {
    return std::get<ChangePlan>(change(configure, plan(start({}, "gma:delta=3")))).warnings;
  };
  EXPECT_THAT(warnings({{}, {}, "gma:delta=1", {}}), IsEmpty());
  EXPECT_THAT(warnings({{}, {}, "wait-k:k=1", {}}), ElementsAre(HasSubstr("policy wait-k")));
  EXPECT_THAT(warnings({{}, {}, {}, TextForm::kSpoken}), ElementsAre(HasSubstr("form spoken")));
}

TEST(StreamPlan, ChangeKeepsTheLanguages) {
  const TrackPlan track = plan(start({}, {}));
  EXPECT_EQ(std::get<protocol::Error>(change({{}, "de-es", {}, {}}, track)).code,
            ErrorCode::kUnsupportedLanguages);
  EXPECT_EQ(std::get<protocol::Error>(change({{}, {}, "gma:k=1", {}}, track)).code,
            ErrorCode::kBadPolicy);
}

}  // namespace
}  // namespace surtitle
