// Compares inference on CUDA with the CPU's in float32, call by call. It runs emulated on the CPU
// and, if the machine has a device, on the device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>

#include "model/cpu/cpu_inference.h"
#include "model/cuda/cuda_inference.h"
#include "model/cuda/cuda_loader.h"
#include "model/engine/engine.h"
#include "model/text/tokenizer.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"
#include "tests/model/cuda/emulator.h"
#include "tests/model/support/golden_cases.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/streaming.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using testing::HasSubstr;

const cuda_module::Functions& emulated() { return *surtitle_cuda_functions(); }

// Makes every call on two inferences and compares the outcomes.
class Compared final : public Inference {
 public:
  Compared(std::unique_ptr<Inference> expected, std::unique_ptr<Inference> tested)
      : expected_(std::move(expected)), tested_(std::move(tested)) {}

  int slots() const override { return tested_->slots(); }
  void open(int slot) override {
    expected_->open(slot);
    tested_->open(slot);
  }
  void close(int slot, int source, int target) override {
    expected_->close(slot, source, target);
    tested_->close(slot, source, target);
  }
  void encode(std::span<const SourceToken> tokens) override {
    expected_->encode(tokens);
    tested_->encode(tokens);
  }
  void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) override {
    expected_->decode(steps, outcomes);
    std::vector<StepOutcome> found(steps.size());
    tested_->decode(steps, found);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE("step " + std::to_string(steps[i].target_index));
      EXPECT_EQ(found[i].required_source, outcomes[i].required_source);
      if (outcomes[i].required_source > 0) continue;
      EXPECT_EQ(found[i].token, outcomes[i].token);
      EXPECT_EQ(found[i].visible, outcomes[i].visible);
    }
  }

 private:
  std::unique_ptr<Inference> expected_;
  std::unique_ptr<Inference> tested_;
};

struct Room {
  int slots;
  int max_source;
};

std::unique_ptr<Inference> on_cpu(const Package& package, const Room& room) {
  return std::make_unique<CpuInference>(
      package, CpuInference::Options{.precision = Precision::kFloat32,
                                     .slots = room.slots,
                                     .source_positions = source_positions(room.max_source),
                                     .target_positions = target_positions(room.max_source)});
}

std::unique_ptr<CudaInference> on_cuda(const Package& package, const Room& room, bool half,
                                       const cuda_module::Functions& functions) {
  return std::make_unique<CudaInference>(
      package,
      CudaInference::Options{.half = half,
                             .slots = room.slots,
                             .source_positions = source_positions(room.max_source),
                             .target_positions = target_positions(room.max_source)},
      functions);
}

Engine engine_on(const Package& package, const Room& room, std::unique_ptr<Inference> inference) {
  return {package.description,
          {.max_sentences = room.slots, .max_source_tokens = room.max_source},
          std::move(inference)};
}

std::vector<std::vector<int>> random_sentences(int count, int longest, int vocabulary,
                                               std::mt19937& random) {
  std::vector<std::vector<int>> sentences(static_cast<std::size_t>(count));
  for (auto& sentence : sentences) {
    sentence.resize(1 + random() % static_cast<unsigned>(longest));
    for (int& token : sentence)
      token = 4 + static_cast<int>(random() % static_cast<unsigned>(vocabulary - 4));
  }
  return sentences;
}

std::vector<std::vector<int>> shipped_sentences(const Package& package, std::size_t count) {
  auto sentences = test_sentences(*package.tokenizers.source);
  sentences.resize(count);
  return sentences;
}

Package shipped(const char* name) {
  return open_package(std::filesystem::path(SURTITLE_SOURCE_DIR) / "model/pretrained" / name);
}

Package tiny() { return golden_package(golden_files("gma_model_", ".safetensors").front()); }

enum class Backend { kEmulated, kDevice };

class CudaInferenceOn : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::kEmulated) {
      functions_ = &emulated();
      return;
    }
    try {
      functions_ = &cuda_functions();
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  bool on_device() const { return GetParam() == Backend::kDevice; }

  void expect_equal(const Package& package, const Room& room,
                    const std::vector<std::vector<int>>& sentences, const char* policy) {
    auto engine =
        engine_on(package, room,
                  std::make_unique<Compared>(on_cpu(package, room),
                                             on_cuda(package, room, /*half=*/false, *functions_)));
    const auto streamed = stream(engine, sentences, make_policy(policy),
                                 static_cast<std::size_t>(room.slots), random_);
    std::size_t written = 0;
    for (const auto& one : streamed) written += one.reads.size();
    EXPECT_GT(written, 0U);
  }

  const cuda_module::Functions* functions_ = nullptr;
  std::mt19937 random_{11};
};

TEST_P(CudaInferenceOn, StreamsAsReleasedCodeComputes) {
  expect_golden_models(
      [&](const Package& package) {
        return std::make_unique<CudaInference>(
            package,
            CudaInference::Options{
                .half = false, .slots = 1, .source_positions = 1024, .target_positions = 1024},
            *functions_);
      },
      /*tolerance=*/1e-5);
}

TEST_P(CudaInferenceOn, EveryStepIsTheCpusWithSeveralStreams) {
  const Package package = tiny();
  const Room room{.slots = 5, .max_source = 40};
  const auto sentences = random_sentences(8, 20, 40, random_);
  for (const char* policy :
       {"gma:delta=1", "gma:delta=0", "wait-k:k=3", "full-sentence", "local-agreement"}) {
    SCOPED_TRACE(policy);
    expect_equal(package, room, sentences, policy);
  }
}

// Bursts of more rows than a graph has, and a batch of a size without a graph.
TEST_P(CudaInferenceOn, LongSourcesAtOnce) {
  const Package package = tiny();
  const Room room{.slots = 3, .max_source = 40};
  auto inference = Compared(on_cpu(package, room), on_cuda(package, room, false, *functions_));
  std::vector<SourceToken> tokens;
  std::vector<DecoderStep> steps;
  const auto policy = make_policy("full-sentence");
  for (int slot = 0; slot < room.slots; ++slot) {
    inference.open(slot);
    for (int position = 0; position < 30 + slot; ++position)
      tokens.push_back({slot, position, 4 + (slot * 7 + position * 5) % 36});
    steps.push_back({.slot = slot,
                     .previous = kEndOfSentence,
                     .encoded = 30 + slot,
                     .max_visible = 30 + slot,
                     .policy = policy.get()});
  }
  inference.encode(tokens);
  std::vector<StepOutcome> outcomes(steps.size());
  inference.decode(steps, outcomes);
  // The same steps once more, with what they chose banned.
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].banned.add(outcomes[i].token);
  std::vector<StepOutcome> others(steps.size());
  inference.decode(steps, others);
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_NE(others[i].token, outcomes[i].token);
}

TEST_P(CudaInferenceOn, ADefaultPolicyThatTheDeviceDoesNotSupportIsReplaced) {
  Package package = tiny();
  package.description.policies = {"alignatt", "wait-k", "full-sentence"};
  package.description.default_policy = "alignatt:f=2";
  const Room room{.slots = 1, .max_source = 20};
  const auto engine = engine_on(package, room, on_cuda(package, room, false, *functions_));
  EXPECT_EQ(engine.info().default_policy, "wait-k:k=3");
  EXPECT_EQ(engine.info().replaced_policy, "alignatt:f=2");
  EXPECT_THAT(engine.info().policies, testing::ElementsAre("wait-k", "full-sentence"));
  EXPECT_TRUE(unsupported_policy(engine.info(), *make_policy("alignatt:f=1")));
  EXPECT_FALSE(unsupported_policy(engine.info(), *make_policy("local-agreement")));

  const auto cpu = engine_on(package, room, on_cpu(package, room));
  EXPECT_EQ(cpu.info().default_policy, "alignatt:f=2");
  EXPECT_EQ(cpu.info().replaced_policy, "");
  EXPECT_FALSE(unsupported_policy(cpu.info(), *make_policy("alignatt:f=1")));
}

TEST_P(CudaInferenceOn, EveryArchitectureIsTheCpus) {
  const std::array<ModelConfig, 3> configs = {
      ModelConfig{.d_model = 36,  // heads of 12 channels, which are padded to 16
                  .heads = 3,
                  .ffn = 50,
                  .encoder_layers = 2,
                  .decoder_layers = 2,
                  .source_vocabulary = 40,
                  .target_vocabulary = 300,
                  .norm = Norm::kPre,
                  .cross_attention = {GmaOptions()},
                  .shared_embeddings = false,
                  .tied_output = false},
      ModelConfig{.d_model = 30,  // heads of 6, padded to 8
                  .heads = 5,
                  .ffn = 33,
                  .encoder_layers = 1,
                  .decoder_layers = 2,
                  .source_vocabulary = 40,
                  .target_vocabulary = 40,
                  .norm = Norm::kPost,
                  .cross_attention = {DotProductOptions()}},
      ModelConfig{.d_model = 256,  // heads of the maximum width
                  .heads = 2,
                  .ffn = 64,
                  .encoder_layers = 1,
                  .decoder_layers = 1,
                  .source_vocabulary = 40,
                  .target_vocabulary = 40}};
  for (const auto& config : configs) {
    SCOPED_TRACE("width " + std::to_string(config.d_model));
    const TemporaryFolder folder;
    const Package package = random_package(config, folder.path());
    expect_equal(package, {.slots = 3, .max_source = 20}, random_sentences(4, 8, 40, random_),
                 "gma:delta=1");
  }
}

// Widths that are no power of two are not padded to one.
TEST_P(CudaInferenceOn, HeadsOfEveryWidthAreTheCpus) {
  for (const int head : {24, 40, 48, 80, 96}) {
    SCOPED_TRACE(head);
    const TemporaryFolder folder;
    const Package package = random_package({.d_model = 2 * head,
                                            .heads = 2,
                                            .ffn = 16,
                                            .encoder_layers = 1,
                                            .decoder_layers = 1,
                                            .source_vocabulary = 40,
                                            .target_vocabulary = 40,
                                            .cross_attention = {GmaOptions()}},
                                           folder.path());
    expect_equal(package, {.slots = 2, .max_source = 20}, random_sentences(3, 8, 40, random_),
                 "gma:delta=1");
  }
}

TEST_P(CudaInferenceOn, ShippedModelsAreTheCpus) {
  const std::size_t count = on_device() ? 400 : 2;
  for (const auto& [name, policy] :
       {std::pair{"de-en-gma", "gma:delta=1"}, std::pair{"de-en-multipath", "wait-k:k=3"}}) {
    SCOPED_TRACE(name);
    const Package package = shipped(name);
    expect_equal(package, {.slots = on_device() ? 24 : 2, .max_source = 256},
                 shipped_sentences(package, count), policy);
  }
}

TEST_P(CudaInferenceOn, InHalfPrecisionTranslatesNearlyTheSame) {
  const Package package = shipped("de-en-gma");
  const Room room{.slots = on_device() ? 24 : 4, .max_source = 256};
  const auto sentences = shipped_sentences(package, on_device() ? 400 : 4);
  const auto policy = make_policy("gma:delta=1");
  const auto at_once = static_cast<std::size_t>(room.slots);
  auto exact = engine_on(package, room, on_cpu(package, room));
  auto half = engine_on(package, room, on_cuda(package, room, /*half=*/true, *functions_));
  const auto expected = stream(exact, sentences, policy, at_once, random_);
  const auto found = stream(half, sentences, policy, at_once, random_);
  std::size_t same = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) same += expected[i] == found[i] ? 1 : 0;
  EXPECT_GE(static_cast<double>(same), 0.75 * static_cast<double>(sentences.size()));
}

TEST_P(CudaInferenceOn, GoldenModelInHalfPrecision) {
  const Package package = tiny();
  const Room room{.slots = 4, .max_source = 30};
  auto engine = engine_on(package, room, on_cuda(package, room, /*half=*/true, *functions_));
  const auto sentences = random_sentences(6, 10, 40, random_);
  const auto streamed = stream(engine, sentences, make_policy("gma:delta=1"), 4, random_);
  for (std::size_t i = 0; i < streamed.size(); ++i)
    EXPECT_EQ(streamed[i].source.size(), sentences[i].size() + 1) << "the source is complete";
}

TEST_P(CudaInferenceOn, MeasuresTheRateOfCopies) {
  const auto before = std::exchange(cuda::emulation().memory, std::size_t{8} << 20);
  double rate = 0;
  cuda_module::Error error{};
  ASSERT_TRUE(functions_->copy_rate(&rate, &error)) << error.text.data();
  EXPECT_GT(rate, 0);
  cuda::emulation().memory = before;
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaInferenceOn,
                         testing::Values(Backend::kEmulated, Backend::kDevice),
                         [](const auto& tested) {
                           return tested.param == Backend::kEmulated ? "Emulated" : "Device";
                         });

// Settings of the emulated device, restored at the end.
class EmulatedDevice : public testing::Test {
 protected:
  ~EmulatedDevice() override { cuda::emulation() = before_; }

 private:
  const cuda::Emulation before_ = cuda::emulation();
};

TEST_F(EmulatedDevice, MemoryThatDoesNotSufficeMeansFewerSentences) {
  const Package package = tiny();
  const Room wanted{.slots = 64, .max_source = 40};
  cuda::emulation().memory = std::size_t{4} << 20;
  auto engine = engine_on(package, wanted, on_cuda(package, wanted, false, emulated()));
  const int room = engine.info().max_sentences;
  EXPECT_GT(room, 0);
  EXPECT_LT(room, wanted.slots);
  const auto policy = make_policy("gma:delta=1");
  for (int i = 0; i < room; ++i) EXPECT_TRUE(engine.open(policy).has_value());
  EXPECT_FALSE(engine.open(policy).has_value());
}

TEST_F(EmulatedDevice, SaysWhatDoesNotFit) {
  const Package package = tiny();
  const Room wanted{.slots = 64, .max_source = 4000};
  cuda::emulation().memory = std::size_t{4} << 20;
  EXPECT_THAT(
      error_of([&] { on_cuda(package, wanted, false, emulated()); }),
      testing::MatchesRegex("the CUDA device has [0-9]+ MiB of free memory, half of which may "
                            "be used; a sentence needs [0-9]+ MiB"));
  cuda::emulation().memory = 1000;
  EXPECT_THAT(error_of([&] { on_cuda(package, wanted, false, emulated()); }),
              HasSubstr("MiB of memory; free some of it"));
}

// A different process allocates memory between the query and the allocation.
TEST_F(EmulatedDevice, MemoryThatEndsAtAnyAllocationMeansFewerSentencesOrOneThatSaysSo) {
  const Package package = tiny();
  const Room wanted{.slots = 4, .max_source = 40};
  const auto left = cuda::device_memory_left();
  const int pinned = cuda::pinned_buffers();
  int refused = 0;
  int smaller = 0;
  for (int allocations = 0;; ++allocations) {
    cuda::emulation().allocations = allocations;
    try {
      auto engine = engine_on(package, wanted, on_cuda(package, wanted, false, emulated()));
      if (cuda::emulation().allocations >= 0) break;
      EXPECT_EQ(engine.info().max_sentences, 2);
      ++smaller;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("memory")) << allocations;
      ++refused;
    }
    EXPECT_EQ(cuda::device_memory_left(), left) << allocations;
    EXPECT_EQ(cuda::pinned_buffers(), pinned) << allocations;
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(smaller, 2);
}

TEST_F(EmulatedDevice, AFailureIsASentence) {
  const Package package = tiny();
  const Room room{.slots = 2, .max_source = 40};
  auto engine = engine_on(package, room, on_cuda(package, room, false, emulated()));
  const auto id = *engine.open(make_policy("wait-k:k=1"));
  engine.read(id, std::array{5, 6});
  cuda::emulation().fail = true;
  std::vector<Write> writes;
  EXPECT_EQ(error_of([&] { engine.tick(writes); }),
            "CUDA: cannot synchronize a stream: emulated failure");
}

TEST_F(EmulatedDevice, MayBeMissing) {
  cuda::emulation().present = false;
  EXPECT_EQ(error_of([&] { on_cuda(tiny(), {.slots = 1, .max_source = 40}, true, emulated()); }),
            "no CUDA device");
}

TEST_F(EmulatedDevice, RefusesHeadsThatItHasNoThreadsFor) {
  const auto refusal_of = [](int d_model, int heads) {
    const TemporaryFolder folder;
    const Package package = random_package({.d_model = d_model,
                                            .heads = heads,
                                            .ffn = 8,
                                            .encoder_layers = 1,
                                            .decoder_layers = 1,
                                            .source_vocabulary = 40,
                                            .target_vocabulary = 40},
                                           folder.path());
    return error_of([&] { on_cuda(package, {.slots = 1, .max_source = 40}, true, emulated()); });
  };
  EXPECT_EQ(refusal_of(256, 1),
            "a model with 256 channels a head does not run on CUDA; allowed: up to 128");
  EXPECT_EQ(refusal_of(264, 33),
            "a model with 33 heads of 8 channels does not run on CUDA; allowed: heads that need up "
            "to 1024 threads, not 1056");
}

#ifdef SURTITLE_CUDA_MODULE
TEST(CudaModule, OpensAndSaysWhatDeviceThereIs) {
  std::array<char, 256> name{};
  cuda_module::Error error{};
  const bool found = open_cuda_module().find(name.data(), name.size(), &error);
  EXPECT_THAT(found ? name.data() : error.text.data(), testing::Not(testing::StrEq("")));
  if (!found) {
    EXPECT_THAT(error.text.data(), testing::StartsWith("no CUDA device"));
  }
}
#endif

}  // namespace
}  // namespace surtitle
