#include "model/package/cross_attention_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "model/package/config.h"
#include "tests/model/support/test_files.h"
#include "tests/model/support/variants.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

ModelConfig parse(const std::string& text) {
  return parse_model_config(YAML::Load(text), "m.yaml");
}

std::string parse_error(const std::string& text) {
  return error_of([&] { parse(text); });
}

// The layers, of six, that `layers` names.
std::vector<int> gma_layers(const std::string& layers) {
  const auto config =
      parse("decoder_layers: 6\ncross_attention: {type: gma, layers: " + layers + "}");
  std::vector<int> found;
  for (int layer = 0; layer < 6; ++layer)
    if (config.cross_attention_of(layer) == CrossAttention(GmaOptions())) found.push_back(layer);
  return found;
}

TEST(CrossAttentions, AreReadBackAsWritten) {
  for (const char* text : kCrossAttentions) {
    ModelConfig config;
    config.cross_attention = read_cross_attentions(text, config.decoder_layers);
    EXPECT_EQ(parse(to_yaml(config)), config) << text;
    config.cross_attention = read_cross_attentions(
        std::string("[{layers: [0, 2], type: sact}, {layers: [1], type: hard-coded}]"), 3);
    EXPECT_EQ(parse(to_yaml(config)), config);
  }
}

TEST(CrossAttentions, KeepTheirShortForm) {
  EXPECT_EQ(parse("cross_attention: gma"), ModelConfig());
  EXPECT_EQ(parse("cross_attention: {type: gma}"), ModelConfig());
  EXPECT_THAT(to_yaml(parse("cross_attention: {type: gma}")), HasSubstr("cross_attention: gma\n"));
  EXPECT_THAT(to_yaml(parse("cross_attention: [{type: dot-product}]")),
              HasSubstr("cross_attention: dot-product\n"));
}

TEST(CrossAttentions, AreOfTheLayersThatAreNamed) {
  using Layers = std::vector<int>;
  EXPECT_EQ(gma_layers("all"), (Layers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(gma_layers("top 2"), (Layers{4, 5}));
  EXPECT_EQ(gma_layers("middle 2"), (Layers{2, 3}));
  EXPECT_EQ(gma_layers("bottom 2"), (Layers{0, 1}));
  EXPECT_EQ(gma_layers("[0, 5]"), (Layers{0, 5}));
}

TEST(CrossAttentions, NameTheLineOfWhatIsWrong) {
  const auto with = [](const std::string& value) {
    return parse_error("d_model: 64\ncross_attention:\n  " + value);
  };
  EXPECT_THAT(with("{type: mono}"),
              HasSubstr("m.yaml:3: 'type' is mono; allowed: dot-product, gma"));
  EXPECT_THAT(with("{prior: none}"), HasSubstr("m.yaml:3: field 'type' is missing"));
  EXPECT_THAT(
      with("{type: gma, lambda: 4}"),
      HasSubstr("m.yaml:3: unknown field 'lambda'; allowed: layers, type, alignment, prior, "
                "sigma, shared_by"));
  EXPECT_THAT(with("{type: gma, sigma: p}"),
              HasSubstr("m.yaml:3: 'sigma' is p; allowed: p/1, p/2, p/3, predicted"));
  EXPECT_THAT(with("{type: gaussian-mixture, components: 0}"),
              HasSubstr("m.yaml:3: 'components' is 0; allowed: 1 to 64"));
  EXPECT_THAT(with("{type: mma, noise: -1}"), HasSubstr("m.yaml:3: 'noise' is -1; allowed: 0 to"));
  EXPECT_THAT(with("{type: gma, layers: top 4}"),
              HasSubstr("m.yaml:3: 'layers' is top 4; allowed: all, top N, middle N, bottom N (N "
                        "from 1 to 3), or a list of numbers from 0 to 2"));
  EXPECT_THAT(with("{type: gma, layers: upper 2}"), HasSubstr("'layers' is upper 2"));
  EXPECT_THAT(with("{type: gma, layers: [3]}"), HasSubstr("'layers' is 3; allowed"));
  EXPECT_THAT(with("{type: gma, layers: []}"), HasSubstr("'layers' is an empty list"));
  EXPECT_THAT(with("- {type: gma, layers: [0, 1]}\n  - {type: sact, layers: bottom 1}"),
              HasSubstr("m.yaml:4: layer 0 has a cross-attention already"));
  EXPECT_THAT(with("- gma"), HasSubstr("m.yaml:3: expected a map"));
}

TEST(CrossAttentions, TellWhetherTheyArePlain) {
  EXPECT_TRUE(parse("cross_attention: gma").has_plain_cross_attention());
  EXPECT_TRUE(parse("cross_attention: dot-product").has_plain_cross_attention());
  EXPECT_FALSE(parse("cross_attention: {type: gma, layers: top 1}").has_plain_cross_attention());
  EXPECT_FALSE(parse("cross_attention: {type: gma, prior: none}").has_plain_cross_attention());
  EXPECT_FALSE(parse("cross_attention: mma").has_plain_cross_attention());
  EXPECT_FALSE(parse("cross_attention: sact").has_plain_cross_attention());
}

TEST(CrossAttentions, LetTheLowestLayerLeadWhereTheyShare) {
  const auto config = parse(
      "decoder_layers: 4\ncross_attention: [{type: gma, layers: [1, 2, 3], shared_by: layers}]");
  EXPECT_EQ(config.alignment_leader(0), 0);
  for (const int layer : {1, 2, 3}) EXPECT_EQ(config.alignment_leader(layer), 1);
  EXPECT_EQ(config.cross_tensors_of(1).size(), 2U);
  EXPECT_TRUE(config.cross_tensors_of(2).empty());
  const auto own = parse("cross_attention: {type: gma, shared_by: none}");
  EXPECT_EQ(own.alignment_leader(2), 2);
  EXPECT_EQ(own.cross_tensors_of(2)[1].shape, (std::vector<std::int64_t>{256, 4}));
}

}  // namespace
}  // namespace surtitle
