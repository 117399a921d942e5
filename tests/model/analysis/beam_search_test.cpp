// Beam search against the same search without caches: each hypothesis is decoded from its
// beginning.
#include "model/analysis/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "policies/registry.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

constexpr int kVocabulary = 30;
constexpr int kMaxSource = 6;

// Log-probabilities of the token after a prefix, all of it decoded again.
class SlowModel final : public InferenceObserver {
 public:
  explicit SlowModel(const Package& package)
      : policy_(make_policy("full-sentence")),
        inference_(package, {.slots = 1,
                             .source_positions = source_positions(kMaxSource),
                             .target_positions = target_positions(kMaxSource)}) {
    inference_.observe(this);
  }

  std::vector<double> next(const std::vector<int>& source, const std::vector<int>& target) {
    inference_.open(0);
    std::vector<SourceToken> tokens;
    for (const int token : source) tokens.push_back({0, static_cast<int>(tokens.size()), token});
    tokens.push_back({0, static_cast<int>(tokens.size()), kEndOfSentence});
    inference_.encode(tokens);
    for (std::size_t t = 0; t <= target.size(); ++t) {
      logits_.assign(kVocabulary, 0);
      const DecoderStep step{.slot = 0,
                             .target_index = static_cast<int>(t),
                             .previous = t == 0 ? kEndOfSentence : target[t - 1],
                             .encoded = static_cast<int>(tokens.size()),
                             .max_visible = static_cast<int>(tokens.size()),
                             .policy = policy_.get()};
      StepOutcome outcome;
      inference_.decode({&step, 1}, {&outcome, 1});
    }
    inference_.close(0, static_cast<int>(tokens.size()), static_cast<int>(target.size()) + 1);
    double sum = 0;
    for (const double logit : logits_) sum += std::exp(logit);
    for (double& logit : logits_) logit -= std::log(sum);
    return logits_;
  }

  void predicted(const ObservedLogits& step) override {
    std::copy(step.logits.begin(), step.logits.end(), logits_.begin() + step.first);
  }

 private:
  PolicyPtr policy_;
  CpuInference inference_;
  std::vector<double> logits_;
};

struct Path {
  std::vector<int> tokens;
  double score = 0;
  bool ended = false;
};

std::vector<int> slow_search(SlowModel& model, const std::vector<int>& source, std::size_t beam) {
  const auto most = static_cast<std::size_t>(target_positions(kMaxSource));
  std::vector<Path> alive(1);
  std::vector<Path> finished;
  while (!alive.empty()) {
    std::vector<Path> next;
    for (const auto& path : alive) {
      const auto scores = model.next(source, path.tokens);
      for (int token = 0; token < kVocabulary; ++token) {
        if (token == kBeginOfSentence || token == kPadding || token == kUnknown) continue;
        Path longer{path.tokens, path.score + scores[static_cast<std::size_t>(token)], false};
        longer.ended = token == kEndOfSentence || path.tokens.size() + 1 >= most;
        if (!longer.ended) longer.tokens.push_back(token);
        next.push_back(longer);
      }
    }
    std::stable_sort(next.begin(), next.end(),
                     [](const Path& a, const Path& b) { return a.score > b.score; });
    next.resize(beam - finished.size());
    alive.clear();
    for (const auto& path : next) (path.ended ? finished : alive).push_back(path);
  }
  const auto mean = [](const Path& path) {
    return path.score / static_cast<double>(path.tokens.size() + 1);
  };
  return std::max_element(finished.begin(), finished.end(),
                          [&](const Path& a, const Path& b) { return mean(a) < mean(b); })
      ->tokens;
}

struct Form {
  const char* name;
  EncoderReach reach;
  TargetMemory memory;
};

class BeamSearchOf : public testing::TestWithParam<Form> {
 protected:
  BeamSearchOf()
      : package_(random_package({.d_model = 16,
                                 .heads = 2,
                                 .ffn = 24,
                                 .encoder_layers = 1,
                                 .decoder_layers = 2,
                                 .source_vocabulary = kVocabulary,
                                 .target_vocabulary = kVocabulary,
                                 .cross_attention = {DotProductOptions()},
                                 .encoder_reach = GetParam().reach,
                                 .target_memory = GetParam().memory},
                                folder_.path())) {
    std::mt19937 random(7);
    sources_.resize(9);
    for (auto& source : sources_)
      for (auto left = 1 + random() % kMaxSource; left > 0; --left)
        source.push_back(4 + static_cast<int>(random() % (kVocabulary - 4)));
  }

  std::vector<std::vector<int>> search(int beam, int sentences) const {
    return BeamSearch(
               package_,
               {.beam = beam, .threads = 2, .sentences = sentences, .source_tokens = kMaxSource})
        .run(sources_);
  }

  TemporaryFolder folder_;
  Package package_;
  std::vector<std::vector<int>> sources_;
};

TEST_P(BeamSearchOf, EqualsASearchWithoutCaches) {
  SlowModel model(package_);
  for (const int beam : {1, 2, 5}) {
    const auto found = search(beam, 4);
    for (std::size_t i = 0; i < sources_.size(); ++i)
      EXPECT_EQ(found[i], slow_search(model, sources_[i], static_cast<std::size_t>(beam)))
          << "beam " << beam << ", sentence " << i;
  }
  EXPECT_NE(search(1, 4), search(5, 4)) << "the beam matters to this model";
}

TEST_P(BeamSearchOf, DoesNotDependOnTheSentencesBeside) { EXPECT_EQ(search(3, 1), search(3, 9)); }

INSTANTIATE_TEST_SUITE_P(
    Forms, BeamSearchOf,
    testing::Values(Form{"causal", EncoderReach::kCausal, TargetMemory::kAttention},
                    Form{"bidirectional", EncoderReach::kBidirectional, TargetMemory::kAttention},
                    Form{"ssru", EncoderReach::kBidirectional, TargetMemory::kSsru}),
    [](const auto& tested) { return tested.param.name; });

TEST(BeamSearch, ReportsProgressAndAnEmptySource) {
  const TemporaryFolder folder;
  const auto package = random_package({.d_model = 16,
                                       .heads = 2,
                                       .ffn = 24,
                                       .encoder_layers = 1,
                                       .decoder_layers = 1,
                                       .source_vocabulary = kVocabulary,
                                       .target_vocabulary = kVocabulary},
                                      folder.path());
  BeamSearch search(package, {.beam = 2, .sentences = 2, .source_tokens = 2});
  std::vector<std::size_t> progress;
  const std::vector<std::vector<int>> sources = {{5, 6}, {}, {7}};
  const auto found = search.run(sources, [&](std::size_t done) { progress.push_back(done); });
  EXPECT_TRUE(found[1].empty());
  EXPECT_EQ(progress.back(), 3U);
  EXPECT_THROW(search.run(std::vector<std::vector<int>>{{5, 6, 7}}), std::length_error);
}

}  // namespace
}  // namespace surtitle
