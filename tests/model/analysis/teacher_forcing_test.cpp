// References forced through the released GMA model: attention, aligned positions and reads of every
// gma_model_* file of the golden folder.
#include "model/analysis/teacher_forcing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/package/tensor_values.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

ForcedText case_text(const Package& package, int n) {
  const auto prefix = "case" + std::to_string(n) + ".";
  auto source = golden_integers(package.weights, prefix + "src_tokens");
  auto target = golden_integers(package.weights, prefix + "prev_output_tokens");
  source.pop_back();             // end of sentence
  target.erase(target.begin());  // end of sentence
  return {source, target};
}

std::vector<ForcedText> texts_of(const Package& package) {
  std::vector<ForcedText> texts;
  const int cases = std::stoi(package.weights.metadata().at("cases"));
  for (int n = 0; n < cases; ++n) texts.push_back(case_text(package, n));
  return texts;
}

PolicyPtr policy_of(const Package& package) {
  return make_policy("gma:delta=" + package.weights.metadata().at("delta"));
}

void expect_near(const std::vector<float>& found, const Package& package, const std::string& name,
                 double tolerance) {
  const auto expected = float_values(*package.weights.find(name));
  ASSERT_EQ(found.size(), expected.size()) << name;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << name << " at " << i;
}

TEST(golden_forced, AttendsAsReleasedCodeDoes) {
  for (const auto& path : golden_files("gma_model_", ".safetensors")) {
    SCOPED_TRACE(path.string());
    const Package package = golden_package(path);
    TeacherForcing pass(package, {.sentences = 2, .source_tokens = 1023, .target_tokens = 1023});
    const auto forced = pass.run(texts_of(package), *policy_of(package));
    ASSERT_FALSE(forced.empty());
    for (std::size_t n = 0; n < forced.size(); ++n) {
      const auto prefix = "case" + std::to_string(n) + ".";
      expect_near(forced[n].attention, package, prefix + "attn", 5e-6);
      expect_near(forced[n].p, package, prefix + "p", 1e-5);
      EXPECT_EQ(forced[n].reads, golden_integers(package.weights, prefix + "reads"));
    }
  }
}

TEST(ForcedPrefix, IsNoPartOfTheResult) {
  ModelConfig config{.d_model = 32,
                     .ffn = 48,
                     .encoder_layers = 1,
                     .source_vocabulary = 40,
                     .target_vocabulary = 40,
                     .cross_attention = {DotProductOptions()},
                     .encoder_reach = EncoderReach::kBidirectional};
  const TemporaryFolder folder;
  Package package = random_package(config, folder.path() / "package");
  const std::vector<int> target{6, 5, 31, 22};
  const auto force = [&](std::vector<int> source, const char* policy) {
    TeacherForcing pass(package, {.source_tokens = 9, .target_tokens = 9});
    return pass.run(std::vector<ForcedText>{{std::move(source), target}}, *make_policy(policy))
        .front();
  };
  const auto whole = force({30, 31, 5, 9, 7}, "wait-k:k=4");
  package.source_prefixes = {{30, 31}};
  const auto counted = force({5, 9, 7}, "wait-k:k=2");
  EXPECT_EQ(counted.source, 4);
  EXPECT_EQ(counted.predicted, whole.predicted);
  EXPECT_EQ(counted.reads, (std::vector<int>{2, 3, 4, 4, 4}));
  for (std::size_t row = 0; row < whole.attention.size() / 6; ++row)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_EQ(counted.attention[row * 4 + j], whole.attention[row * 6 + 2 + j]) << row;
}

TEST(ForcedMonotonicHeads, AttendToOneTokenUpToTheirLayersPosition) {
  ModelConfig config{.d_model = 32,
                     .ffn = 48,
                     .encoder_layers = 1,
                     .source_vocabulary = 40,
                     .target_vocabulary = 40};
  config.cross_attention = {MmaOptions()};
  const TemporaryFolder folder;
  const Package package = random_package(config, folder.path() / "package");
  TeacherForcing pass(package, {.source_tokens = 9, .target_tokens = 9});
  const std::vector<ForcedText> texts = {{{5, 9, 7, 30, 12, 4, 8}, {6, 5, 31, 22, 17}}};
  for (const char* policy : {"mma", "wait-k:k=2"}) {
    const auto forced = pass.run(texts, *make_policy(policy)).front();
    const auto steps = static_cast<std::size_t>(forced.target);
    for (std::size_t row = 0; row < forced.p.size(); ++row) {
      const auto layer = row / steps;
      std::ptrdiff_t furthest = 0;
      for (int h = 0; h < forced.heads; ++h) {
        const auto head =
            layer * static_cast<std::size_t>(forced.heads) + static_cast<std::size_t>(h);
        const auto first = forced.attention.begin() +
                           static_cast<std::ptrdiff_t>(head * steps + row % steps) * forced.source;
        EXPECT_EQ(std::count(first, first + forced.source, 1.0F), 1);
        EXPECT_EQ(std::count(first, first + forced.source, 0.0F), forced.source - 1);
        furthest = std::max(furthest, std::find(first, first + forced.source, 1.0F) - first);
      }
      EXPECT_EQ(forced.p[row], static_cast<float>(furthest));
      EXPECT_LT(furthest, forced.visible[row]);
      if (policy == std::string("mma")) {
        EXPECT_EQ(furthest + 1, forced.visible[row]);
      }
    }
  }
}

class Forced : public testing::Test {
 protected:
  const Package package_ = golden_package(golden_files("gma_model_", ".safetensors").front());
  const std::vector<ForcedText> texts_ = texts_of(package_);
  const PolicyPtr policy_ = policy_of(package_);
};

TEST_F(Forced, MeanAttentionIsADistributionOverWhatTheLayerSees) {
  TeacherForcing pass(package_, {.source_tokens = 100, .target_tokens = 100});
  for (const auto& sentence : pass.run(texts_, *policy_)) {
    for (int layer = 0; layer < sentence.layers; ++layer) {
      const auto mean = sentence.mean_attention(layer);
      for (int t = 0; t < sentence.target; ++t) {
        const int visible = sentence.visible[static_cast<std::size_t>(layer * sentence.target + t)];
        EXPECT_LE(visible, sentence.reads[static_cast<std::size_t>(t)]);
        double sum = 0;
        for (int s = 0; s < sentence.source; ++s) {
          const float weight = mean[static_cast<std::size_t>(t * sentence.source + s)];
          sum += static_cast<double>(weight);
          if (s >= visible) {
            EXPECT_EQ(weight, 0);
          }
        }
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
}

TEST_F(Forced, DoesNotDependOnWhoSharesTheBatch) {
  TeacherForcing alone(package_, {.sentences = 1, .source_tokens = 100, .target_tokens = 100});
  TeacherForcing together(
      package_, {.threads = 2, .sentences = 16, .source_tokens = 100, .target_tokens = 100});
  std::vector<ForcedText> many;
  for (int i = 0; i < 4; ++i) many.insert(many.end(), texts_.begin(), texts_.end());
  const auto one_by_one = alone.run(many, *policy_);
  const auto at_once = together.run(many, *policy_);
  ASSERT_EQ(one_by_one.size(), many.size());
  ASSERT_EQ(at_once.size(), many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(one_by_one[i].attention, at_once[i].attention);
    EXPECT_EQ(one_by_one[i].p, at_once[i].p);
    EXPECT_EQ(one_by_one[i].predicted, at_once[i].predicted);
  }
}

TEST_F(Forced, RefusesATextThatIsTooLong) {
  TeacherForcing pass(package_, {.source_tokens = 2, .target_tokens = 2});
  const std::vector<ForcedText> long_source = {{{4, 5, 6}, {4}}};
  const std::vector<ForcedText> long_target = {{{4}, {4, 5, 6}}};
  EXPECT_THROW(pass.run(long_source, *policy_), std::length_error);
  EXPECT_THROW(pass.run(long_target, *policy_), std::length_error);
  const std::vector<ForcedText> fits = {{{4, 5}, {}}};
  EXPECT_EQ(pass.run(fits, *policy_).front().target, 1);
}

// One set of weights under several cross-attentions of the only decoder layer, whose queries are
// then the same: they do not depend on what the layer attends to.
class Controls : public testing::Test {
 protected:
  explicit Controls(const CrossAttention& attention)
      : description_(random_package(config(attention), folder_.path()).description) {}

  ForcedSentence forced(const CrossAttention& attention) {
    description_.architecture.cross_attention = {attention};
    write_text(folder_.path() / "model.yaml", to_yaml(description_));
    TeacherForcing pass(open_package(folder_.path()), {.source_tokens = 20, .target_tokens = 20});
    const std::vector<ForcedText> text = {{{4, 9, 17, 30, 5, 6}, {7, 20, 33, 8}}};
    return pass.run(text, *make_policy("wait-k:k=3")).front();
  }

 private:
  static ModelConfig config(const CrossAttention& attention) {
    return {.d_model = 32,
            .heads = 4,
            .ffn = 48,
            .encoder_layers = 1,
            .decoder_layers = 1,
            .source_vocabulary = 40,
            .target_vocabulary = 40,
            .cross_attention = {attention}};
  }

  TemporaryFolder folder_;
  PackageDescription description_;
};

struct Gate : Controls {
  Gate() : Controls(GaussianMixtureOptions()) {}
};

TEST_F(Gate, IsWhatMixesTheTwoAttentions) {
  const auto mixed = forced(GaussianMixtureOptions());
  const auto gaussian =
      forced(GaussianMixtureOptions{.gate = GaussianMixtureOptions::Gate::kMixture});
  const auto dot_product = forced(DotProductOptions());
  EXPECT_EQ(gaussian.controls.at(0).name, "") << "it predicts no gate";
  EXPECT_EQ(dot_product.controls.at(0).name, "");
  const ForcedControl& gate = mixed.controls.at(0);
  EXPECT_EQ(gate.name, "gate");
  ASSERT_EQ(gate.values.size(), 5U);
  EXPECT_NE(gate.values[0], gate.values[1]);
  const auto row = static_cast<std::size_t>(mixed.source);
  for (std::size_t i = 0; i < mixed.attention.size(); ++i) {
    const float g = gate.values[i / row % gate.values.size()];
    EXPECT_NEAR(mixed.attention[i], (1 - g) * dot_product.attention[i] + g * gaussian.attention[i],
                1e-6);
  }
}

struct Temperature : Controls {
  Temperature() : Controls(SactOptions()) {}
};

TEST_F(Temperature, IsWhatScoresAreDividedBy) {
  const auto sact = forced(SactOptions());
  const auto dot_product = forced(DotProductOptions());
  const ForcedControl& temperature = sact.controls.at(0);
  EXPECT_EQ(temperature.name, "temperature");
  ASSERT_EQ(temperature.values.size(), 5U);
  EXPECT_NE(temperature.values[0], temperature.values[1]);
  const auto row = static_cast<std::size_t>(sact.source);
  for (std::size_t i = 1; i < sact.attention.size(); ++i) {
    if (i % row == 0 || sact.attention[i] == 0) continue;  // another row, or unseen
    const auto difference = [i](const ForcedSentence& of) {
      return std::log(of.attention[i] / of.attention[i - 1]);
    };
    EXPECT_NEAR(difference(sact) * temperature.values[i / row % temperature.values.size()],
                difference(dot_product), 1e-4);
  }
}

}  // namespace
}  // namespace surtitle
