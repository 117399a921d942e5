#include "model/package/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "model/package/safetensors.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

ModelConfig parse(const std::string& text) {
  return parse_model_config(YAML::Load(text), "m.yaml");
}

std::string parse_error(const std::string& text) {
  return error_of([&] { parse(text); });
}

std::set<std::string> names_of(const ModelConfig& config) {
  std::set<std::string> names;
  for (const ExpectedTensor& tensor : expected_tensors(config)) names.insert(tensor.name);
  return names;
}

TEST(ModelConfig, ReadsBackWhatItWrites) {
  EXPECT_EQ(parse(to_yaml(ModelConfig{})), ModelConfig{});
  const ModelConfig other{.d_model = 32,
                          .heads = 8,
                          .ffn = 48,
                          .encoder_layers = 2,
                          .decoder_layers = 1,
                          .source_vocabulary = 40,
                          .target_vocabulary = 44,
                          .norm = Norm::kPost,
                          .cross_attention = {DotProductOptions()},
                          .shared_embeddings = false,
                          .tied_output = false};
  EXPECT_EQ(parse(to_yaml(other)), other);
}

TEST(ModelConfig, KeepsDefaultsOfFieldsThatAreNotThere) {
  EXPECT_EQ(parse("{d_model: 128}"), ModelConfig{.d_model = 128});
}

TEST(ModelConfig, NamesTheLineOfAWrongField) {
  const std::string unknown = parse_error("d_model: 64\ndepth: 3\n");
  EXPECT_THAT(unknown, HasSubstr("m.yaml:2: unknown field 'depth'; allowed: "));
  EXPECT_THAT(unknown, HasSubstr("d_model"));
  EXPECT_THAT(unknown, HasSubstr("tied_output"));
  EXPECT_THAT(parse_error("heads: 4\nffn: zero"), HasSubstr("m.yaml:2: 'ffn'"));
  EXPECT_THAT(parse_error("\"de\\npth\": 3\n"), HasSubstr("m.yaml:1: unknown field 'de?pth'"))
      << "an error is one line, whatever the file holds";
  EXPECT_THAT(parse_error("norm: layer"),
              HasSubstr("m.yaml:1: 'norm' is layer; allowed: pre, post"));
  EXPECT_THAT(parse_error("cross_attention: mono"), HasSubstr("allowed: dot-product, gma"));
  for (const char* empty : {"cross_attention: []", "cross_attention: ~"})
    EXPECT_THAT(parse_error(empty), HasSubstr("'cross_attention' must be one of dot-product, gma"));
  EXPECT_THAT(parse_error("tied_output: perhaps"), HasSubstr("'tied_output'"));
  EXPECT_THAT(parse_error("- 1"), HasSubstr("m.yaml:1: expected a map"));
}

TEST(ModelConfig, BoundsEverySize) {
  for (const std::string field : {"d_model", "heads", "ffn", "encoder_layers", "decoder_layers",
                                  "source_vocabulary", "target_vocabulary"}) {
    EXPECT_THAT(parse_error(field + ": 0"), HasSubstr("'" + field + "' is 0; allowed: "));
    EXPECT_THAT(parse_error(field + ": -1"), HasSubstr("'" + field + "'"));
    EXPECT_THAT(parse_error(field + ": 2000000000"), HasSubstr("'" + field + "' is 2000000000"));
    EXPECT_THAT(parse_error(field + ": 99999999999"), HasSubstr("'" + field + "'"));
  }
}

TEST(ModelConfig, RefusesSizesThatDoNotFitTogether) {
  EXPECT_THAT(parse_error("{d_model: 64, heads: 3}"), HasSubstr("divisors of d_model, 64"));
  EXPECT_THAT(parse_error("{d_model: 63, heads: 3}"), HasSubstr("'d_model' is 63; allowed: even"));
  EXPECT_THAT(parse_error("{source_vocabulary: 10, target_vocabulary: 11}"),
              HasSubstr("'shared_embeddings' is true with vocabularies of 10 and 11"));
}

TEST(ExpectedTensors, AreThoseOfTheReleasedModel) {
  const SafetensorsFile file(std::filesystem::path(SURTITLE_SOURCE_DIR) /
                             "tests/golden/gma_model_tiny.safetensors");
  const ModelConfig tiny{.d_model = 32,
                         .heads = 4,
                         .ffn = 64,
                         .encoder_layers = 2,
                         .decoder_layers = 2,
                         .source_vocabulary = 40,
                         .target_vocabulary = 44,
                         .norm = Norm::kPost,
                         .shared_embeddings = false};
  std::set<std::string> expected;
  for (const ExpectedTensor& tensor : expected_tensors(tiny)) {
    const TensorView* found = file.find(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_EQ(found->shape, tensor.shape) << tensor.name;
    EXPECT_TRUE(expected.insert(tensor.name).second) << tensor.name << " twice";
  }
  for (const TensorView& tensor : file.tensors()) {
    const bool leftover = tensor.name.ends_with(".version") ||
                          tensor.name.ends_with("_float_tensor") || tensor.name.starts_with("case");
    EXPECT_EQ(expected.count(tensor.name) == 0, leftover) << tensor.name;
  }
}

TEST(ExpectedTensors, FollowTheOptions) {
  const ModelConfig base{.encoder_layers = 1, .decoder_layers = 1};
  const std::set<std::string> names = names_of(base);
  EXPECT_TRUE(names.count("decoder.layer_norm.weight"));
  EXPECT_TRUE(names.count("encoder.layer_norm.bias"));
  EXPECT_TRUE(names.count("decoder.layers.0.encoder_attn.wp"));
  EXPECT_FALSE(names.count("encoder.embed_tokens.weight"));
  EXPECT_FALSE(names.count("decoder.output_projection.weight"));

  ModelConfig post = base;
  post.norm = Norm::kPost;
  EXPECT_FALSE(names_of(post).count("decoder.layer_norm.weight"));
  ModelConfig plain = base;
  plain.cross_attention = {DotProductOptions()};
  EXPECT_FALSE(names_of(plain).count("decoder.layers.0.encoder_attn.vp"));
  EXPECT_EQ(names_of(plain).size() + 2, names.size());
  ModelConfig separate = base;
  separate.shared_embeddings = false;
  EXPECT_TRUE(names_of(separate).count("encoder.embed_tokens.weight"));
  ModelConfig untied = base;
  untied.tied_output = false;
  EXPECT_TRUE(names_of(untied).count("decoder.output_projection.weight"));
}

}  // namespace
}  // namespace surtitle
