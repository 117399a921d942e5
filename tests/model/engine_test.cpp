// Streaming against the whole-sentence computation: the same tokens, whatever arrives when.

#include "model/engine.h"

#include <gtest/gtest.h>

#include <random>

#include "model/cpu_inference.h"
#include "model/tokenizer.h"
#include "model/torch_inference.h"
#include "model/transformer.h"
#include "policies/registry.h"
#include "tests/model/streaming.h"

namespace surtitle {
namespace {

// Whether one teacher-forced pass over the whole sentence chooses exactly these tokens and reads.
// Where it chooses end of sentence before all source was seen, the policy's READ is applied and the
// pass is made again.
testing::AssertionResult equals_whole_sentence(const Transformer& model, const Policy& policy,
                                               const Streamed& streamed) {
  const c10::InferenceMode inference;
  const auto source = torch::tensor(streamed.source).unsqueeze(0);
  const auto length = static_cast<std::int64_t>(streamed.source.size());
  const auto steps = static_cast<std::int64_t>(streamed.target.size()) + 1;
  auto input = torch::full({1, steps}, kEndOfSentence, torch::kLong);
  for (std::int64_t i = 1; i < steps; ++i)
    input[0][i] = streamed.target[static_cast<std::size_t>(i - 1)];
  const auto encoded = model->encode(source);
  auto least = torch::zeros({1, steps}, torch::kLong);
  for (std::int64_t at = 0; at < steps;) {
    const auto decoded = model->decode(encoded, torch::tensor({length}), input, policy,
                                       {.least_visible = least, .keep_weights = false});
    const auto best = model->logits(decoded.states)[0].argmax(1);
    const auto visible = std::get<0>(torch::cat(decoded.visible).max(0));
    for (; at < steps; ++at) {
      const auto seen = visible[at].item<std::int64_t>();
      auto token = best[at].item<std::int64_t>();
      if (at >= 2 * seen + 16) token = kEndOfSentence;
      if (token == kEndOfSentence && seen < length) {
        least.narrow(1, at, steps - at).fill_(seen + 1);
        break;
      }
      const auto expected = at + 1 < steps ? input[0][at + 1].item<std::int64_t>() : kEndOfSentence;
      const auto read = streamed.reads[static_cast<std::size_t>(at)];
      if (token != expected || seen != read)
        return testing::AssertionFailure()
               << "step " << at << ": streamed token " << expected << " after " << read
               << " reads, whole sentence " << token << " after " << seen;
    }
  }
  return testing::AssertionSuccess();
}

std::filesystem::path source_folder() { return SURTITLE_SOURCE_DIR; }

struct Case {
  const char* package;
  const char* policy;
};

// A model's package, and its teacher-forced twins.
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

  // Where two tokens are as likely as each other in float32, float64 decides.
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
  const std::vector<std::vector<int>> sentences_ = test_sentences(*package_.tokenizers.source);
  const PolicyPtr policy_ = make_policy(GetParam().policy);
  std::mt19937 random_{7};
};

TEST_P(engine_streaming, EqualsWholeSentenceOnBothTestSets) {
  ASSERT_EQ(sentences_.size(), 2280U);
  auto engine = make_engine<CpuInference>({.precision = Precision::kFloat32});
  const auto streamed = stream(engine, sentences_, policy_, kSlots, random_);
  for (std::size_t i = 0; i < streamed.size(); ++i)
    EXPECT_TRUE(equals_whole_sentence(streamed[i])) << "sentence " << i;
}

// In 8 bits the whole-sentence computation is the engine's own, one sentence at a time.
TEST_P(engine_streaming, InBytesDoesNotDependOnTimingOrBatch) {
  if (!Int8Matrix::supported()) GTEST_SKIP() << "no AVX512-VNNI";
  auto engine = make_engine<CpuInference>({.precision = Precision::kInt8});
  const auto streamed = stream(engine, sentences_, policy_, kSlots, random_);
  const auto alone = stream(engine, sentences_, policy_, 1, random_);
  for (std::size_t i = 0; i < streamed.size(); ++i) {
    EXPECT_EQ(streamed[i].target, alone[i].target) << "sentence " << i;
    EXPECT_EQ(streamed[i].reads, alone[i].reads) << "sentence " << i;
  }
}

TEST_P(engine_streaming, OnLibTorchEqualsWholeSentence) {
  auto engine = make_engine<TorchInference>({});
  const std::vector<std::vector<int>> some(sentences_.end() - 60, sentences_.end());
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
