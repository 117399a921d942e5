#include "model/training/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/training/policy_sampler.h"
#include "policies/registry.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kRecipe = R"(name: small
source_language: de
target_language: en
train:
  - {source: a.de, target: a.en}
  - {source: b.de, target: b.en, weight: 3}
dev:
  - {source: dev.de, target: /elsewhere/dev.en}
architecture:
  d_model: 64
  heads: 4
  source_vocabulary: 500
  target_vocabulary: 500
default_policy: wait-k:k=3
training:
  policies: ["wait-k:k=1..9", "full-sentence"]
  batch_tokens: 1000
  learning_rate: 0.002
  max_updates: 50
  cooldown_updates: 10
  checkpoint_updates: 5
  seed: 7
licence: CC0
)";

class RecipeFile : public testing::Test {
 protected:
  Recipe load(const std::string& from = "", const std::string& to = "") {
    std::string text = kRecipe;
    const auto at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("no '" + from + "' in the recipe");
    write_text(file_, text.replace(at, from.size(), to));
    return load_recipe(file_);
  }
  // Returns the error of the recipe with `from` replaced, without the file's name.
  std::string error(const std::string& from, const std::string& to) {
    const auto text = error_of([&] { load(from, to); });
    EXPECT_TRUE(text.starts_with(file_.string() + ":")) << text;
    return text.substr(std::min(text.size(), file_.string().size() + 1));
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "small.yaml";
};

TEST_F(RecipeFile, SaysWhatIsTrained) {
  const auto recipe = load();
  EXPECT_EQ(recipe.name, "small");
  ASSERT_EQ(recipe.train.size(), 2U);
  EXPECT_EQ(recipe.train[0].source, folder_.path() / "a.de");
  EXPECT_EQ(recipe.train[0].weight, 1);
  EXPECT_EQ(recipe.train[1].weight, 3);
  EXPECT_THAT(recipe.train[0].source_forms, ElementsAre(FormShare{TextForm::kWritten, 1}));
  EXPECT_EQ(recipe.train[0].joined, 0);
  EXPECT_THAT(source_forms(recipe), ElementsAre(TextForm::kWritten));
  EXPECT_EQ(recipe.dev[0].target, "/elsewhere/dev.en");
  EXPECT_EQ(recipe.architecture.d_model, 64);
  EXPECT_EQ(recipe.default_policy, "wait-k:k=3");
  EXPECT_THAT(recipe.training.policies, ElementsAre("wait-k:k=1..9", "full-sentence"));
  EXPECT_EQ(recipe.training.learning_rate, 0.002);
  EXPECT_EQ(recipe.training.checkpoint_updates, 5);
  EXPECT_EQ(recipe.training.seed, 7U);
  EXPECT_EQ(recipe.training.average, TrainingOptions().average);
  EXPECT_EQ(load_recipe(file_, "/data").train[1].target, "/data/b.en");
}

TEST_F(RecipeFile, SaysInWhichFormsSourcesAreRead) {
  const auto recipe = load("weight: 3", "source_forms: [spoken, written]");
  EXPECT_THAT(recipe.train[1].source_forms,
              ElementsAre(FormShare{TextForm::kSpoken, 1}, FormShare{TextForm::kWritten, 1}));
  EXPECT_THAT(source_forms(recipe), ElementsAre(TextForm::kWritten, TextForm::kSpoken));
  const auto with_shares =
      load("weight: 3", "source_forms: {spoken: 0.5, written: 2}, joined: 0.1");
  EXPECT_THAT(with_shares.train[1].source_forms,
              ElementsAre(FormShare{TextForm::kWritten, 2}, FormShare{TextForm::kSpoken, 0.5}));
  EXPECT_EQ(with_shares.train[1].joined, 0.1);
}

TEST_F(RecipeFile, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(error("  seed: 7", "  sead: 7"), HasSubstr("22: unknown field 'sead'; allowed: "));
  EXPECT_THAT(error("licence:", "license:"),
              HasSubstr("23: unknown field 'license'; allowed: name"));
  EXPECT_THAT(error("weight: 3", "weight: -1"), HasSubstr("6: 'weight' is -1; allowed: 0 to 100"));
  EXPECT_THAT(error("weight: 3", "joined: 2"), HasSubstr("6: 'joined' is 2; allowed: 0 to 1"));
  EXPECT_THAT(error("a.en}", "a.en, repeat: 2}"), HasSubstr("5: unknown field 'repeat'"));
  EXPECT_THAT(error("weight: 3", "source_forms: {sung: 1}"), HasSubstr("unknown field 'sung'"));
  EXPECT_THAT(error("weight: 3", "source_forms: {spoken: 0}"),
              HasSubstr("must give a share above 0 to at least one form"));
  EXPECT_THAT(error("batch_tokens: 1000", "optimizer: sgd"),
              HasSubstr("'optimizer' is sgd; allowed: adam, muon"));
  EXPECT_THAT(error("batch_tokens: 1000", "products: float16"),
              HasSubstr("'products' is float16; allowed: measured, float32, bfloat16"));
  EXPECT_THAT(error("weight: 3", "source_forms: [written, sung]"),
              HasSubstr("6: 'source_forms' has sung; allowed: written, spoken, each once"));
  EXPECT_THAT(error("weight: 3", "source_forms: [spoken, spoken]"), HasSubstr("each once"));
  EXPECT_THAT(error("weight: 3", "source_forms: []"), HasSubstr("6: 'source_forms' is empty"));
  EXPECT_THAT(error("batch_tokens: 1000", "batch_tokens: 10"),
              HasSubstr("17: 'batch_tokens' is 10; allowed: 100 to"));
  EXPECT_THAT(error("0.002", "fast"), HasSubstr("18: 'learning_rate' is fast; allowed: a number"));
  EXPECT_THAT(error("batch_tokens: 1000", "batch_tokens: [1000]"),
              HasSubstr("17: 'batch_tokens' is a list; allowed: a whole number"));
  EXPECT_THAT(error("0.002", ".nan"), HasSubstr("18: 'learning_rate' is .nan; allowed: 0 to 1"));
  EXPECT_THAT(error("cooldown_updates: 10", "cooldown_updates: 51"),
              HasSubstr("20: 'cooldown_updates' must be at most 'max_updates'"));
  EXPECT_THAT(error("heads: 4", "heads: 5"), HasSubstr("heads"));
  EXPECT_THAT(error("target_vocabulary: 500", "target_vocabulary: 501"), HasSubstr("equal sizes"));
  EXPECT_THAT(error("source_language: de", "source_language: d e"),
              HasSubstr("2: 'source_language' is 'd e'; allowed: a tag such as de"));
  EXPECT_THAT(error("name: small\n", ""), HasSubstr("field 'name' is missing"));
  EXPECT_THAT(error("  - {source: dev.de, target: /elsewhere/dev.en}", "  x.de"),
              HasSubstr("'dev' must be a list of {source: FILE, target: FILE}"));
  EXPECT_THAT(error("  - {source: dev.de, target: /elsewhere/dev.en}", "  []"),
              HasSubstr("'dev' must list at least one text"));
  EXPECT_THAT(error("{source: a.de, target: a.en}", "{source: a.de}"),
              HasSubstr("5: field 'target' is missing"));
  EXPECT_THAT(error("name: small", "name: [small"), HasSubstr("not YAML"));
}

TEST_F(RecipeFile, WeighsTheDelaysOfLayersThatDecideThem) {
  EXPECT_FALSE(load().training.latency.any());
  const std::string seed = "  seed: 7\n";
  const LatencyWeights weights =
      load(seed, seed + "  latency: {average: 0.5, variance: 2}\n").training.latency;
  EXPECT_EQ(weights.average, 0.5);
  EXPECT_EQ(weights.variance, 2);

  const std::string between = "default_policy: wait-k:k=3\ntraining:\n";
  const std::string weighted = between + "  latency: {variance: 0.1}\n";
  EXPECT_EQ(load(between, "  cross_attention: mma\n" + weighted).training.latency.variance, 0.1);
  EXPECT_THAT(
      error(between, "  cross_attention: dot-product\n" + weighted),
      HasSubstr("'latency' needs a decoder layer that decides its own delay, with an mma or "
                "gma cross_attention"));
  EXPECT_THAT(error(seed, seed + "  latency: {variance: -1}\n"),
              HasSubstr("23: 'variance' is -1; allowed: 0 to 1000"));
  EXPECT_THAT(error(seed, seed + "  latency: {mean: 1}\n"),
              HasSubstr("23: unknown field 'mean'; allowed: average, variance"));
}

TEST_F(RecipeFile, ChecksItsPolicies) {
  const std::string good = R"(["wait-k:k=1..9", "full-sentence"])";
  EXPECT_THAT(error(good, "[]"), HasSubstr("16: training needs at least one policy"));
  EXPECT_THAT(error(good, "[\"wait-k:k=9..1\"]"), HasSubstr("16: "));
  EXPECT_THAT(error(good, "[\"wait-k:k=9..1\"]"), HasSubstr("low end is above its high end"));
  EXPECT_THAT(error(good, "[\"wait-k:k=1..x\"]"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(error(good, "[\"wait-k:0..9\"]"), HasSubstr("a range must be KEY=LOW..HIGH"));
  EXPECT_THAT(error(good, "[\"wait-k:k=0..9\"]"), HasSubstr("16: "));
  EXPECT_THAT(error(good, "[\"hope\"]"), HasSubstr("wait-k"));
  EXPECT_THAT(error("default_policy: wait-k:k=3", "default_policy: wait-k:q=3"), HasSubstr("14: "));
}

TEST_F(RecipeFile, ChecksItsPoliciesAgainstItsCrossAttention) {
  const std::string good = R"(["wait-k:k=1..9", "full-sentence"])";
  const std::string vocabulary = "  target_vocabulary: 500\n";
  const auto load_with = [&](const std::string& attention, const std::string& policy) {
    std::string text = kRecipe;
    text.replace(text.find(good), good.size(), "[\"" + policy + "\"]");
    text.insert(text.find(vocabulary), "  cross_attention: " + attention + "\n");
    write_text(file_, text);
    return load_recipe(file_);
  };
  const auto error_with = [&](const std::string& attention, const std::string& policy) {
    return error_of([&] { load_with(attention, policy); });
  };
  EXPECT_THAT(error_with("dot-product", "gma:delta=0.5..3"),
              HasSubstr("17: 'gma' needs a decoder layer with another cross_attention than "
                        "dot-product; allowed: gma, gaussian-mixture, hard-coded, localness"));
  EXPECT_THAT(error_with("gma", "mma"), HasSubstr("than gma; allowed: mma"));
  EXPECT_THAT(error_with("dot-product", "alignatt:f=2"),
              HasSubstr("'alignatt' translates in drafts and is not a policy of training; train "
                        "for it with full-sentence"));
  EXPECT_THAT(error_with("dot-product", "mu"), HasSubstr("run `surtitle segment`"));
  for (const auto& [attention, policy] : std::vector<std::pair<std::string, std::string>>{
           {"gma", "gma:delta=1"},
           {"[{layers: top 2, type: gma}]", "gma:delta=1"},
           {"gaussian-mixture", "gma:delta=1"},
           {"mma", "mma"},
           {"mma", "wait-k:k=3"}})
    EXPECT_THAT(load_with(attention, policy).training.policies, ElementsAre(policy)) << attention;
  EXPECT_THAT(error("default_policy: wait-k:k=3", "default_policy: mma"),
              HasSubstr("14: 'mma' needs"));
}

TEST_F(RecipeFile, MayLeaveOutTheArchitectureOfAPackageToBeginWith) {
  std::string text = kRecipe;
  const auto begin = text.find("architecture:");
  text.erase(begin, text.find("default_policy:") - begin);
  write_text(file_, text);
  ModelConfig start;
  start.heads = 2;
  start.cross_attention = {DotProductOptions()};
  start.encoder_reach = EncoderReach::kBidirectional;
  const Recipe recipe = load_recipe(file_, "", start);
  start.encoder_reach = EncoderReach::kCausal;
  EXPECT_EQ(recipe.architecture, start);
  EXPECT_THAT(error_of([&] { load_recipe(file_); }), HasSubstr("'architecture'"));
}

TEST_F(RecipeFile, NamesAFileThatIsMissing) {
  EXPECT_EQ(error_of([&] { load_recipe(folder_.path() / "none.yaml"); }),
            (folder_.path() / "none.yaml").string() + ": cannot be read");
}

TEST_F(RecipeFile, AcceptsTheShippedOnes) {
  const std::filesystem::path recipes =
      std::filesystem::path(SURTITLE_SOURCE_DIR) / "model/recipes";
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(recipes)) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().string());
    const Recipe recipe = load_recipe(entry.path());
    ++found;
    const auto stem = entry.path().stem().string();
    EXPECT_EQ(recipe.name, stem);
    const auto languages = recipe.source_language + "-" + recipe.target_language;
    EXPECT_THAT(stem, HasSubstr(languages));
    EXPECT_THAT(PolicySampler(recipe.training.policies).names(),
                testing::Contains(make_policy(recipe.default_policy)->training_family()));
    EXPECT_FALSE(recipe.training_data.empty());
    EXPECT_FALSE(recipe.licence.empty());
    for (const auto& texts : {recipe.train, recipe.dev}) {
      for (const ParallelText& text : texts) {
        EXPECT_EQ(text.source.extension(), "." + recipe.source_language);
        EXPECT_EQ(text.target.extension(), "." + recipe.target_language);
      }
    }
  }
  EXPECT_GE(found, 5);
}

TEST(PoliciesOfARecipe, AreThoseOfTheTrainingAndADefaultThatSuitsIt) {
  Recipe recipe;
  recipe.training.policies = {"full-sentence", "wait-k:k=1..12"};
  recipe.default_policy = "alignatt:f=2";
  EXPECT_THAT(policies_of(recipe), ElementsAre("alignatt", "full-sentence", "wait-k"));
  for (const char* policy : {"wait-k:k=3", "gma"}) {
    recipe.default_policy = policy;
    EXPECT_THAT(policies_of(recipe), ElementsAre("full-sentence", "wait-k")) << policy;
  }
}

TEST(PolicySampler, DrawsEveryValueOfARangeAndInfinityEquallyOften) {
  const std::vector<std::string> specs = {"wait-k:k=1..4", "full-sentence"};
  const PolicySampler sampler(specs);
  EXPECT_THAT(sampler.names(), ElementsAre("wait-k", "full-sentence"));
  std::mt19937_64 random(1);
  std::map<std::string, int> counts;
  for (int i = 0; i < 8000; ++i) ++counts[sampler.draw(random)->spec()];
  EXPECT_EQ(counts.size(), 5U);
  EXPECT_NEAR(counts["full-sentence"], 4000, 200);
  for (const char* k : {"1", "2", "3", "4"})
    EXPECT_NEAR(counts[std::string("wait-k:k=") + k], 1000, 150) << k;
}

TEST(PolicySampler, DrawsFromAllOfARangeOfReals) {
  const std::vector<std::string> specs = {"gma:delta=0.5..3"};
  const PolicySampler sampler(specs);
  std::mt19937_64 random(2);
  double least = 10;
  double most = 0;
  double sum = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const auto spec = sampler.draw(random)->spec();
    const double delta = std::stod(spec.substr(spec.find('=') + 1));
    least = std::min(least, delta);
    most = std::max(most, delta);
    sum += delta;
  }
  EXPECT_GE(least, 0.5);
  EXPECT_LT(least, 0.51);
  EXPECT_LE(most, 3.0);
  EXPECT_GT(most, 2.99);
  EXPECT_NEAR(sum / kDraws, 1.75, 0.05);
}

TEST(PolicySampler, KeepsASpecWithoutARange) {
  const std::vector<std::string> specs = {"gma:delta=1.5", "gma:delta=2"};
  const PolicySampler sampler(specs);
  EXPECT_THAT(sampler.names(), ElementsAre("gma"));
  std::mt19937_64 random(3);
  std::map<std::string, int> counts;
  for (int i = 0; i < 100; ++i) ++counts[sampler.draw(random)->spec()];
  EXPECT_EQ(counts.size(), 2U);
}

}  // namespace
}  // namespace surtitle
