// Streams every cross-attention on a small random model: the tokens equal the whole-sentence
// computation's, for every policy and any arrival times.

#include "tests/model/support/streaming.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "model/cpu/cpu_inference.h"
#include "model/torch/torch_inference.h"
#include "model/torch/transformer.h"
#include "policies/registry.h"
#include "tests/model/support/test_files.h"
#include "tests/model/support/variants.h"
#include "tests/model/torch/whole_sentence.h"

namespace surtitle {
namespace {

constexpr int kVocabulary = 60;
constexpr int kSlots = 5;
constexpr int kMaxSource = 24;
constexpr auto kPolicies = std::to_array<const char*>(
    {"gma:delta=1", "gma:delta=0", "wait-k:k=2", "full-sentence", "mma"});

struct Variant {
  const char* cross_attention = "gma";
  const char* form = "{}";  // further fields of the architecture
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.cross_attention << ' ' << variant.form;
}

class StreamedVariant : public testing::TestWithParam<Variant> {
 protected:
  // Weights large enough that attention affects tokens.
  StreamedVariant() {
    torch::manual_seed(5);
    const torch::NoGradGuard no_grad;
    std::vector<TensorView> tensors;
    for (auto& [name, parameter] : named_weights(model_)) {
      const bool norm = name.find("layer_norm.weight") != std::string::npos;
      const double size = parameter.dim() == 1 ? 0.3 : 1.5 / std::sqrt(parameter.size(1));
      parameter.copy_(torch::randn_like(parameter) * size + (norm ? 1 : 0));
      tensors.push_back(
          {name,
           DType::kF32,
           parameter.sizes().vec(),
           {static_cast<const std::byte*>(parameter.data_ptr()), parameter.nbytes()}});
    }
    write_safetensors(file_, tensors, {});
    load_weights(exact_, SafetensorsFile(file_));
    model_->eval();
    exact_->eval();
    exact_->to(torch::kDouble);
  }

  static ModelConfig config() {
    ModelConfig config{.d_model = 32,
                       .heads = 4,
                       .ffn = 48,
                       .encoder_layers = 1,
                       .decoder_layers = 3,
                       .source_vocabulary = kVocabulary,
                       .target_vocabulary = kVocabulary};
    config.cross_attention =
        read_cross_attentions(GetParam().cross_attention, config.decoder_layers);
    return parse_model_config(YAML::Load(GetParam().form), "form", config);
  }

  template <typename Device>
  Engine make_engine(typename Device::Options options) const {
    options.slots = kSlots;
    options.source_positions = source_positions(kMaxSource);
    options.target_positions = target_positions(kMaxSource);
    PackageDescription description;
    description.architecture = config();
    const Package package{folder_.path(), description, SafetensorsFile(file_), {}};
    return {description,
            {.max_sentences = kSlots, .max_source_tokens = kMaxSource},
            std::make_unique<Device>(package, options)};
  }

  std::vector<std::vector<int>> sentences() {
    std::vector<std::vector<int>> result(8);
    for (auto& sentence : result)
      for (auto left = 1 + random_() % 20; left > 0; --left)
        sentence.push_back(4 + static_cast<int>(random_() % (kVocabulary - 4)));
    return result;
  }

  template <typename Device>
  void expect_whole_sentences(const typename Device::Options& options) {
    auto engine = make_engine<Device>(options);
    for (const char* spec : kPolicies) {
      const auto policy = make_policy(spec);
      for (const auto& streamed : stream(engine, sentences(), policy, kSlots, random_)) {
        // If two tokens are equally likely in float32, float64 decides.
        const auto result = equals_whole_sentence(model_, *policy, streamed);
        EXPECT_TRUE(result || equals_whole_sentence(exact_, *policy, streamed))
            << spec << ": " << result.message();
      }
    }
  }

  Transformer model_{config()};
  Transformer exact_{config()};  // in float64
  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "weights.safetensors";
  std::mt19937 random_{3};
};

TEST_P(StreamedVariant, EqualsWholeSentence) {
  expect_whole_sentences<CpuInference>({.precision = Precision::kFloat32});
}

TEST_P(StreamedVariant, OnLibTorchEqualsWholeSentence) {
  expect_whole_sentences<TorchInference>({});
}

// In 8 bits the reference is the engine's own result for one sentence at a time.
TEST_P(StreamedVariant, InBytesDoesNotDependOnTimingOrBatch) {
  if (!Int8Matrix::supported()) GTEST_SKIP() << "this CPU has no instructions for bytes";
  auto engine = make_engine<CpuInference>({.precision = Precision::kInt8});
  for (const char* spec : kPolicies) {
    const auto sources = sentences();
    const auto policy = make_policy(spec);
    const auto together = stream(engine, sources, policy, kSlots, random_);
    const auto alone = stream(engine, sources, policy, 1, random_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(together[i].target, alone[i].target) << spec << ", sentence " << i;
      EXPECT_EQ(together[i].reads, alone[i].reads) << spec << ", sentence " << i;
    }
  }
}

std::string name_of_variant(const testing::TestParamInfo<Variant>& tested) {
  return variant_name(std::string(tested.param.cross_attention) + tested.param.form);
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const char* attention : kCrossAttentions) variants.push_back({attention});
  return variants;
}

INSTANTIATE_TEST_SUITE_P(All, StreamedVariant, testing::ValuesIn(all_variants()), name_of_variant);
INSTANTIATE_TEST_SUITE_P(
    Mixed, StreamedVariant,
    testing::Values(
        Variant{"[{layers: top 1, type: sact}, {layers: [0], type: gma, prior: laplace}]"},
        Variant{"[{layers: [0, 1], type: mma}, {layers: [2], type: gma, shared_by: none}]"},
        Variant{"[{layers: [0, 2], type: gma, shared_by: layers}, "
                "{layers: middle 1, type: luong, score: concat, input_feeding: true}]"}),
    name_of_variant);
// As `surtitle train --init-from` continues imported models.
INSTANTIATE_TEST_SUITE_P(
    Imported, StreamedVariant,
    testing::Values(
        Variant{"gma",
                "{norm: post, activation: swish, positions: transformers, output_bias: true, "
                "decoder_start: begin-of-sentence}"},
        Variant{"dot-product",
                "{norm: post, activation: relu, positions: marian, output_bias: true, "
                "tied_output: false, shared_embeddings: false}"},
        Variant{"gma", "{norm: pre, final_norm: false, activation: gelu, positions: marian}"}),
    name_of_variant);

}  // namespace
}  // namespace surtitle
