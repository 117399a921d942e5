// Architectures that only imported models have: streaming equals the equations over each prefix.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "model/engine/engine.h"
#include "policies/registry.h"
#include "tests/model/support/cpu_engine.h"
#include "tests/model/support/plain_transformer.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/streaming.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

constexpr int kVocabulary = 40;
constexpr int kSentences = 4;

struct Case {
  const char* name;
  void (*change)(ModelConfig&);
};

ModelConfig marian(void (*change)(ModelConfig&)) {
  ModelConfig config{.d_model = 24,
                     .heads = 3,
                     .ffn = 40,
                     .encoder_layers = 2,
                     .decoder_layers = 2,
                     .source_vocabulary = kVocabulary,
                     .target_vocabulary = kVocabulary,
                     .norm = Norm::kPost,
                     .cross_attention = {DotProductOptions()},
                     .output_bias = true,
                     .encoder_reach = EncoderReach::kBidirectional,
                     .activation = Activation::kSwish,
                     .positions = Positions::kMarian,
                     .decoder_start = DecoderStart::kBegin};
  change(config);
  return config;
}

int argmax(const std::vector<double>& values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

// The source token with the most weight in the last layer.
int peak(const PlainStep& step, int visible) {
  std::vector<double> sums(static_cast<std::size_t>(visible));
  for (const auto& head : step.attention.back())
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += head[j];
  return argmax(sums);
}

// `prefix`: tokens before the source that the policy does not count.
Streamed translate_plainly(const Package& package, const std::vector<int>& tokens,
                           const Policy& policy, const std::vector<int>& prefix = {}) {
  std::vector<int> source = tokens;
  source.push_back(kEndOfSentence);
  Streamed result{.source = {source.begin(), source.end()}, .target = {}, .reads = {}};
  source.insert(source.begin(), prefix.begin(), prefix.end());
  const auto size = static_cast<int>(source.size());
  const auto ahead = static_cast<int>(prefix.size());
  std::vector<int> target;
  std::vector<int> seen;  // by each step before
  const auto predict = [&](int visible) {
    // With a bidirectional encoder, a draft begins from nothing, so that all of its steps see the
    // same.
    const bool restarts = policy.drafting() && package.description.architecture.encoder_reach ==
                                                   EncoderReach::kBidirectional;
    auto all = restarts ? std::vector<int>(target.size(), visible) : seen;
    all.push_back(visible);
    return plain_step(package, source, target, all);
  };
  const auto too_long = [&](int visible) {
    return static_cast<int>(target.size()) >= max_target_length(visible - ahead);
  };
  const auto write = [&](int token, int visible) {
    if (token != kEndOfSentence) target.push_back(token);
    if (token != kEndOfSentence) result.target.push_back(token);
    seen.push_back(visible);
    result.reads.push_back(visible - ahead);
  };
  if (const auto drafting = policy.drafting()) {  // alignatt; every token is a word
    for (int visible = ahead + 1; visible < size; ++visible) {
      while (!too_long(visible)) {
        const auto step = predict(visible);
        const int token = argmax(step.logits);
        const int free = std::max(visible - ahead - drafting->held_words, 0);
        if (free == 0 || peak(step, visible) >= ahead + free || token == kEndOfSentence) break;
        write(token, visible);
      }
    }
  }
  int min_visible = policy.drafting() ? size : ahead + 1;
  while (true) {
    const int wanted = policy.visible_source(static_cast<int>(target.size()), 0);
    const int visible = std::min(std::max(std::min(wanted, size) + ahead, min_visible), size);
    const int token = too_long(visible) ? kEndOfSentence : argmax(predict(visible).logits);
    if (token == kEndOfSentence && visible < size) {
      min_visible = visible + 1;
      continue;
    }
    write(token, visible);
    if (token == kEndOfSentence) return result;
  }
}

class imported_architecture : public testing::TestWithParam<std::tuple<Case, const char*>> {
 protected:
  imported_architecture() {
    for (int i = 0; i < kSentences; ++i) {
      auto& sentence = sentences_.emplace_back();
      for (auto left = 1 + random_() % 9; left > 0; --left)
        sentence.push_back(4 + static_cast<int>(random_() % (kVocabulary - 4)));
    }
  }

  TemporaryFolder folder_;
  const Package package_ =
      random_package(marian(std::get<0>(GetParam()).change), folder_.path() / "model");
  const PolicyPtr policy_ = make_policy(std::get<1>(GetParam()));
  std::mt19937 random_{3};
  std::vector<std::vector<int>> sentences_;
};

TEST_P(imported_architecture, DependsNeitherOnTheBatchNorOnArrival) {
  const auto alone = stream(*cpu_engine(package_, 1, 16), sentences_, policy_, 1, random_);
  const auto together =
      stream(*cpu_engine(package_, kSentences, 16), sentences_, policy_, kSentences, random_);
  EXPECT_EQ(alone, together);
}

TEST_P(imported_architecture, EqualsTheEquations) {
  if (policy_->name() == "local-agreement") GTEST_SKIP() << "draft_decoder_test has its rule";
  const auto streamed =
      stream(*cpu_engine(package_, kSentences, 16), sentences_, policy_, kSentences, random_);
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    const auto expected = translate_plainly(package_, sentences_[i], *policy_);
    EXPECT_EQ(streamed[i].target, expected.target) << "sentence " << i;
    EXPECT_EQ(streamed[i].reads, expected.reads) << "sentence " << i;
  }
}

TEST_P(imported_architecture, DoesNotCountThePrefixThatNamesTheTarget) {
  const std::vector<std::vector<int>> prefixes{{30}, {31, 32, 33}};
  const auto engine = [&](int slots) {
    return cpu_engine(package_, slots, 16, Precision::kFloat32, {}, prefixes);
  };
  std::vector<Streamed> first;
  for (int target = 0; target < 2; ++target) {
    const auto& prefix = prefixes[static_cast<std::size_t>(target)];
    const auto streamed =
        stream(*engine(kSentences), sentences_, policy_, kSentences, random_, target);
    EXPECT_EQ(streamed, stream(*engine(1), sentences_, policy_, 1, random_, target));
    EXPECT_NE(streamed, std::exchange(first, streamed));
    for (std::size_t i = 0; i < sentences_.size() && policy_->name() != "local-agreement"; ++i) {
      const auto expected = translate_plainly(package_, sentences_[i], *policy_, prefix);
      EXPECT_EQ(streamed[i].target, expected.target) << "sentence " << i << " into " << target;
      EXPECT_EQ(streamed[i].reads, expected.reads) << "sentence " << i << " into " << target;
    }
  }
}

TEST_P(imported_architecture, ShowsTheAttentionToWordsAlone) {
  const auto engine = cpu_engine(package_, 1, 16, Precision::kFloat32, {}, {{30, 31}});
  const auto id = *engine->open(policy_);
  engine->record_attention(id);
  engine->read(id, sentences_.front());
  engine->finish(id);
  std::vector<Write> writes;
  while (writes.empty() || !writes.back().end) engine->tick(writes);
  for (const Write& write : writes) {
    for (const LayerAttention& layer : *write.attention) {
      EXPECT_EQ(std::ssize(layer.weights), write.read);
      EXPECT_NEAR(std::accumulate(layer.weights.begin(), layer.weights.end(), 0.0), 1, 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, imported_architecture,
    testing::Combine(testing::Values(Case{"opus", [](ModelConfig&) {}},
                                     Case{"transformers",
                                          [](ModelConfig& config) {
                                            config.positions = Positions::kTransformers;
                                            config.shared_embeddings = false;
                                            config.tied_output = false;
                                            config.source_vocabulary = kVocabulary + 5;
                                          }},
                                     Case{"firefox",
                                          [](ModelConfig& config) {
                                            config.activation = Activation::kRelu;
                                            config.target_memory = TargetMemory::kSsru;
                                          }},
                                     Case{"pre_norm",
                                          [](ModelConfig& config) {
                                            config.norm = Norm::kPre;
                                            config.activation = Activation::kGelu;
                                          }},
                                     Case{"pre_norm_ssru",
                                          [](ModelConfig& config) {
                                            config.norm = Norm::kPre;
                                            config.final_norm = false;
                                            config.target_memory = TargetMemory::kSsru;
                                          }},
                                     Case{"causal",
                                          [](ModelConfig& config) {
                                            config.encoder_reach = EncoderReach::kCausal;
                                            config.decoder_start = DecoderStart::kEnd;
                                            config.positions = Positions::kFairseq;
                                          }}),
                     testing::Values("full-sentence", "wait-k:k=3", "static-rw:s=2,rw=2",
                                     "alignatt:f=2", "local-agreement:drafts=2,every=1")),
    [](const auto& test) {
      std::string name = std::get<0>(test.param).name;
      const std::string policy = std::get<1>(test.param);
      for (const char character : "_" + policy.substr(0, policy.find(':')))
        name += character == '-' ? '_' : character;
      return name;
    });

}  // namespace
}  // namespace surtitle
