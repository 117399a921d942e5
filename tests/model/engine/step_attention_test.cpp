// Compares the attention of the engine's steps with the released code's tensors and with a forced
// pass, and checks that requesting it changes no token.
#include "model/engine/step_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "model/analysis/teacher_forcing.h"
#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "model/package/tensor_values.h"
#include "model/text/tokenizer.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"
#include "tests/model/support/variants.h"

namespace surtitle {
namespace {

constexpr int kMaxSource = 40;

CpuInference::Options options_with(Precision precision) {
  return {.precision = precision,
          .threads = 2,
          .slots = 8,
          .source_positions = source_positions(kMaxSource),
          .target_positions = target_positions(kMaxSource)};
}

Engine make_engine(const Package& package, Precision precision) {
  return {package.description,
          {.max_sentences = 8, .max_source_tokens = kMaxSource},
          std::make_unique<CpuInference>(package, options_with(precision))};
}

// Returns a sentence's writes, with one source token a tick.
std::vector<Write> write_all(Engine& engine, const std::vector<int>& source,
                             const PolicyPtr& policy, bool attention) {
  const SentenceId id = *engine.open(policy);
  if (attention) engine.record_attention(id);
  std::vector<Write> writes;
  for (const int token : source) {
    engine.read(id, std::span(&token, 1));
    while (engine.tick(writes)) {
    }
  }
  engine.finish(id);
  while (writes.empty() || !writes.back().end) engine.tick(writes);
  engine.close(id);
  return writes;
}

struct Token {
  int token;
  int read;
  bool operator==(const Token&) const = default;
};

std::vector<Token> tokens_of(const std::vector<Write>& writes) {
  std::vector<Token> tokens;
  for (const Write& write : writes) tokens.push_back({write.token, write.read});
  return tokens;
}

const std::vector<int> kSource = {5, 9, 7, 30, 12, 4, 8, 21, 33, 6, 17};

ModelConfig small_config() {
  return {.d_model = 32,
          .ffn = 48,
          .encoder_layers = 1,
          .source_vocabulary = 40,
          .target_vocabulary = 40};
}

ModelConfig config_with(const std::string& cross_attention) {
  ModelConfig config = small_config();
  config.cross_attention = read_cross_attentions(cross_attention, config.decoder_layers);
  return config;
}

class StepAttentionOf : public testing::TestWithParam<const char*> {
 protected:
  // Computes the target's steps. Source is encoded only when a step needs it, so that steps stop
  // inside.
  std::vector<StepAttention> step_through(const Policy& policy) const {
    CpuInference inference(package_, options_with(Precision::kFloat32));
    inference.open(0);
    std::vector<int> source = kSource;
    source.push_back(kEndOfSentence);
    const auto length = static_cast<int>(source.size());
    int encoded = 0;
    std::vector<StepAttention> attention(kTarget.size() + 1);
    for (std::size_t t = 0; t < attention.size(); ++t) {
      StepOutcome outcome{.required_source = 1};
      while (outcome.required_source > 0) {
        for (; encoded < std::min(outcome.required_source, length); ++encoded) {
          const SourceToken token{0, encoded, source[static_cast<std::size_t>(encoded)]};
          inference.encode(std::span(&token, 1));
        }
        DecoderStep step{.slot = 0,
                         .target_index = static_cast<int>(t),
                         .previous = t == 0 ? kEndOfSentence : kTarget[t - 1],
                         .encoded = encoded,
                         .policy = &policy,
                         .attention = &attention[t]};
        if (encoded == length) step.max_visible = length;
        inference.decode(std::span(&step, 1), std::span(&outcome, 1));
      }
    }
    return attention;
  }

  const std::vector<int> kTarget = {6, 5, 31, 22, 17, 9, 28};
  const TemporaryFolder folder_;
  const Package package_ = random_package(config_with(GetParam()), folder_.path() / "package");
};

TEST_P(StepAttentionOf, IsAsTheForcedPassFindsIt) {
  for (const char* spec : {"gma:delta=1", "wait-k:k=2", "mma", "full-sentence"}) {
    SCOPED_TRACE(spec);
    const PolicyPtr policy = make_policy(spec);
    const auto attention = step_through(*policy);
    const ForcedText text{kSource, kTarget};
    TeacherForcing pass(package_, {.source_tokens = kMaxSource, .target_tokens = kMaxSource});
    const auto forced = pass.run(std::span(&text, 1), *policy).front();
    ASSERT_EQ(static_cast<int>(attention.size()), forced.target);
    for (int layer = 0; layer < forced.layers; ++layer) {
      const auto mean = forced.mean_attention(layer);
      for (int t = 0; t < forced.target; ++t) {
        const auto& step = attention[static_cast<std::size_t>(t)];
        ASSERT_EQ(static_cast<int>(step.size()), forced.layers);
        const auto& [weights, positions] = step[static_cast<std::size_t>(layer)];
        const auto row = static_cast<std::size_t>(layer * forced.target + t);
        ASSERT_EQ(static_cast<int>(weights.size()), forced.visible[row]);
        for (std::size_t j = 0; j < weights.size(); ++j)
          EXPECT_FLOAT_EQ(weights[j], mean[static_cast<std::size_t>(t * forced.source) + j]);
        if (!positions.empty()) {
          EXPECT_EQ(*std::max_element(positions.begin(), positions.end()), forced.p[row]);
        }
      }
    }
  }
}

TEST_P(StepAttentionOf, ReachesAsFarAsItsPositionsLetTheStepSee) {
  const PolicyPtr policy = make_policy("gma:delta=1");
  const auto attention = step_through(*policy);
  for (std::size_t t = 0; t < attention.size(); ++t) {
    for (const auto& [weights, positions] : attention[t]) {
      const double p = positions.empty() ? static_cast<double>(t)
                                         : *std::max_element(positions.begin(), positions.end());
      const int wanted = policy->visible_source(static_cast<int>(t), p);
      EXPECT_EQ(static_cast<int>(weights.size()),
                std::min(wanted, static_cast<int>(kSource.size()) + 1));
    }
  }
}

TEST_P(StepAttentionOf, ChangesNothingThatIsWritten) {
  Engine engine = make_engine(package_, Precision::kFloat32);
  EXPECT_TRUE(engine.info().supports_attention);
  for (const char* spec : {"gma:delta=1", "wait-k:k=2", "mma", "local-agreement"}) {
    SCOPED_TRACE(spec);
    const PolicyPtr policy = make_policy(spec);
    const auto shown = write_all(engine, kSource, policy, true);
    const auto plain = write_all(engine, kSource, policy, false);
    EXPECT_EQ(tokens_of(shown), tokens_of(plain));
    for (const Write& write : shown) EXPECT_NE(write.attention, nullptr);
    for (const Write& write : plain) EXPECT_EQ(write.attention, nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, StepAttentionOf, testing::ValuesIn(kCrossAttentions),
                         [](const auto& tested) { return variant_name(tested.param); });

class GoldenStepAttention : public testing::TestWithParam<Precision> {
 protected:
  const Package package_ = golden_package(golden_files("gma_model_", ".safetensors").front());
};

// Compares with the released code's p and attention, on tokens that the engine itself writes.
TEST_P(GoldenStepAttention, OfGmaIsADistributionWithOnePositionThatDecidesTheReads) {
  if (GetParam() == Precision::kInt8 && !Int8Matrix::supported())
    GTEST_SKIP() << "this CPU has no instructions for bytes";
  const auto policy = make_policy("gma:delta=" + package_.weights.metadata().at("delta"));
  auto source = golden_integers(package_.weights, "case0.src_tokens");
  source.pop_back();
  Engine engine = make_engine(package_, GetParam());
  const auto writes = write_all(engine, source, policy, true);
  EXPECT_GT(writes.size(), 3U);
  EXPECT_EQ(tokens_of(writes), tokens_of(write_all(engine, source, policy, false)));
  std::vector<float> before(
      static_cast<std::size_t>(package_.description.architecture.decoder_layers));
  for (std::size_t t = 0; t < writes.size(); ++t) {
    for (std::size_t layer = 0; layer < before.size(); ++layer) {
      const auto& attention = (*writes[t].attention)[layer];
      EXPECT_NEAR(std::accumulate(attention.weights.begin(), attention.weights.end(), 0.0F), 1,
                  1e-5);
      ASSERT_EQ(attention.positions.size(), 1U);
      EXPECT_GE(attention.positions[0], before[layer]) << "alignment never moves back";
      before[layer] = attention.positions[0];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, GoldenStepAttention,
                         testing::Values(Precision::kFloat32, Precision::kInt8),
                         [](const auto& tested) {
                           return tested.param == Precision::kInt8 ? "Int8" : "Float32";
                         });

// Compares with the released code's tensors: its target tokens, step by step through the inference.
TEST(golden_step_attention, EqualsTheReleasedCode) {
  for (const auto& path : golden_files("gma_model_", ".safetensors")) {
    const Package package = golden_package(path);
    const auto policy = make_policy("gma:delta=" + package.weights.metadata().at("delta"));
    const auto source = golden_integers(package.weights, "case0.src_tokens");
    const auto target = golden_integers(package.weights, "case0.prev_output_tokens");
    const auto p = float_values(*package.weights.find("case0.p"));
    const auto attn = float_values(*package.weights.find("case0.attn"));
    const auto& architecture = package.description.architecture;
    const auto heads = static_cast<std::size_t>(architecture.heads);
    CpuInference inference(package, options_with(Precision::kFloat32));
    inference.open(0);
    std::vector<SourceToken> tokens;
    for (const int token : source) tokens.push_back({0, static_cast<int>(tokens.size()), token});
    inference.encode(tokens);
    for (std::size_t t = 0; t < target.size(); ++t) {
      StepAttention attention;
      const DecoderStep step{.slot = 0,
                             .target_index = static_cast<int>(t),
                             .previous = target[t],
                             .encoded = static_cast<int>(source.size()),
                             .max_visible = static_cast<int>(source.size()),
                             .policy = policy.get(),
                             .attention = &attention};
      StepOutcome outcome;
      inference.decode(std::span(&step, 1), std::span(&outcome, 1));
      ASSERT_EQ(attention.size(), static_cast<std::size_t>(architecture.decoder_layers));
      for (std::size_t layer = 0; layer < attention.size(); ++layer) {
        EXPECT_NEAR(attention[layer].positions.at(0), p[layer * target.size() + t], 1e-5);
        for (std::size_t j = 0; j < attention[layer].weights.size(); ++j) {
          float mean = 0;
          for (std::size_t h = 0; h < heads; ++h)
            mean += attn[((layer * heads + h) * target.size() + t) * source.size() + j] /
                    static_cast<float>(heads);
          EXPECT_NEAR(attention[layer].weights[j], mean, 5e-6);
        }
      }
    }
  }
}

// Under a policy that makes drafts, a token's attention is from the draft that wrote it.
TEST(StepAttentionOfDrafts, ComesWithEveryToken) {
  const TemporaryFolder folder;
  const Package package = random_package(small_config(), folder.path() / "package");
  const auto policy = make_policy("local-agreement");
  Engine engine = make_engine(package, Precision::kFloat32);
  const auto writes = write_all(engine, kSource, policy, true);
  EXPECT_EQ(tokens_of(writes), tokens_of(write_all(engine, kSource, policy, false)));
  for (const Write& write : writes) {
    ASSERT_NE(write.attention, nullptr);
    ASSERT_FALSE(write.attention->empty());
    for (const auto& layer : *write.attention)
      EXPECT_EQ(static_cast<int>(layer.weights.size()), write.read);
  }
}

}  // namespace
}  // namespace surtitle
