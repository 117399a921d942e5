// Compares streaming with the whole-sentence computation: the same tokens for any arrival times.

#include "model/engine/engine.h"

#include <gtest/gtest.h>

#include <random>

#include "model/cpu/cpu_inference.h"
#include "model/torch/torch_inference.h"
#include "model/torch/transformer.h"
#include "policies/registry.h"
#include "tests/full_size.h"
#include "tests/model/support/streaming.h"
#include "tests/model/torch/whole_sentence.h"

namespace surtitle {
namespace {

std::filesystem::path source_folder() { return SURTITLE_SOURCE_DIR; }

struct Case {
  const char* package;
  const char* policy;
};

// A model's package, and its modules for teacher forcing.
class engine_streaming : public testing::TestWithParam<Case> {
 protected:
  static constexpr int kSlots = 24;
  static constexpr int kMaxSource = 256;

  engine_streaming() {
    for (auto* model : {&model_, &exact_}) {
      load_weights(*model, package_.weights);
      (*model)->eval();
    }
    exact_->to(torch::kDouble);
  }

  // If two tokens are equally likely in float32, float64 decides.
  testing::AssertionResult equals_whole_sentence(const Streamed& streamed) const {
    const auto result = surtitle::equals_whole_sentence(model_, *policy_, streamed);
    return result ? result : surtitle::equals_whole_sentence(exact_, *policy_, streamed);
  }

  template <typename Device>
  Engine make_engine(typename Device::Options options) const {
    options.slots = kSlots;
    options.source_positions = source_positions(kMaxSource);
    options.target_positions = target_positions(kMaxSource);
    return {package_.description,
            {.max_sentences = kSlots, .max_source_tokens = kMaxSource},
            std::make_unique<Device>(package_, options)};
  }

  const std::filesystem::path folder_ = source_folder() / "model/pretrained" / GetParam().package;
  const Package package_ = open_package(folder_);
  Transformer model_{package_.description.architecture};
  Transformer exact_{package_.description.architecture};  // in float64
  // Both test sets, or every twelfth sentence of them.
  static std::vector<std::vector<int>> sample(const std::vector<std::vector<int>>& all) {
    std::vector<std::vector<int>> some;
    for (std::size_t i = 0; i < all.size(); i += full_size() ? 1 : 12) some.push_back(all[i]);
    return some;
  }

  const std::vector<std::vector<int>> sentences_ =
      sample(test_sentences(*package_.tokenizers.source));
  const PolicyPtr policy_ = make_policy(GetParam().policy);
  std::mt19937 random_{7};
};

TEST_P(engine_streaming, EqualsWholeSentenceOnBothTestSets) {
  ASSERT_EQ(sentences_.size(), full_size() ? 2280U : 190U);
  auto engine = make_engine<CpuInference>({.precision = Precision::kFloat32});
  const auto streamed = stream(engine, sentences_, policy_, kSlots, random_);
  for (std::size_t i = 0; i < streamed.size(); ++i)
    EXPECT_TRUE(equals_whole_sentence(streamed[i])) << "sentence " << i;
}

// In 8 bits the reference is the engine's own result for one sentence at a time, on one thread.
TEST_P(engine_streaming, InBytesDoesNotDependOnTimingBatchOrThreads) {
  if (!Int8Matrix::supported()) GTEST_SKIP() << "this CPU has no instructions for bytes";
  auto three_threads = make_engine<CpuInference>({.precision = Precision::kInt8, .threads = 3});
  const auto streamed = stream(three_threads, sentences_, policy_, kSlots, random_);
  auto one_thread = make_engine<CpuInference>({.precision = Precision::kInt8});
  const auto alone = stream(one_thread, sentences_, policy_, 1, random_);
  for (std::size_t i = 0; i < streamed.size(); ++i) {
    EXPECT_EQ(streamed[i].target, alone[i].target) << "sentence " << i;
    EXPECT_EQ(streamed[i].reads, alone[i].reads) << "sentence " << i;
  }
}

TEST_P(engine_streaming, OnLibTorchEqualsWholeSentence) {
  auto engine = make_engine<TorchInference>({});
  const std::vector<std::vector<int>> some(sentences_.end() - (full_size() ? 60 : 12),
                                           sentences_.end());
  const auto streamed = stream(engine, some, policy_, kSlots, random_);
  for (std::size_t i = 0; i < streamed.size(); ++i)
    EXPECT_TRUE(equals_whole_sentence(streamed[i])) << "sentence " << i;
}

std::string case_name(const testing::TestParamInfo<Case>& tested) {
  return tested.param.policy[0] == 'g' ? "Gma" : "WaitK";
}

INSTANTIATE_TEST_SUITE_P(Shipped, engine_streaming,
                         testing::Values(Case{"de-en-gma", "gma:delta=1"},
                                         Case{"de-en-multipath", "wait-k:k=3"}),
                         case_name);

}  // namespace
}  // namespace surtitle
