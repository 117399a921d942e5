#include "model/package/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "model/package/package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

namespace json = boost::json;

const std::filesystem::path kTiny =
    std::filesystem::path(SURTITLE_SOURCE_DIR) / "tests/golden/gma_model_tiny.safetensors";

// The released tiny model as a package of token ids; nine tensors carry nothing for it.
class Inspection : public ::testing::Test {
 protected:
  Inspection() {
    const ModelConfig architecture{.d_model = 32,
                                   .heads = 4,
                                   .ffn = 64,
                                   .encoder_layers = 2,
                                   .decoder_layers = 2,
                                   .source_vocabulary = 40,
                                   .target_vocabulary = 44,
                                   .norm = Norm::kPost,
                                   .shared_embeddings = false};
    const PackageDescription description{.name = "tiny",
                                         .source_language = "de",
                                         .target_language = "en",
                                         .architecture = architecture,
                                         .tokenizer = kNoTokenizer,
                                         .policies = {"gma", "wait-k"},
                                         .default_policy = "gma:delta=1",
                                         .alignment_heads = {{1, 3}, {0, 2}},
                                         .training_data = "random numbers",
                                         .licence = "MIT",
                                         .origin = "a random generator"};
    const SafetensorsFile tiny(kTiny);
    write_package(package_, description, tiny.tensors());
  }

  TemporaryFolder folder_;
  std::filesystem::path package_ = folder_.path() / "tiny";
};

TEST_F(Inspection, CountsThePartsOfAPackage) {
  const json::object object = json::parse(inspect(package_, InspectionFormat::kJson)).as_object();
  // By hand. Attention: 4 C^2 + 4 C = 4224, GMA's another C^2 + C = 1056; FFN: 2 C F + F + C =
  // 4192; norm: 2 C = 64.
  constexpr int kEncoder = 2 * (4224 + 4192 + 2 * 64);
  constexpr int kDecoder = 2 * (2 * 4224 + 1056 + 4192 + 3 * 64);
  constexpr int kEmbeddings = (40 + 44) * 32;
  const json::array& parts = object.at("parts").as_array();
  EXPECT_EQ(parts.at(0),
            (json::value{
                {"name", "embeddings"}, {"parameters", kEmbeddings}, {"bytes", 4 * kEmbeddings}}));
  EXPECT_EQ(parts.at(1).at("parameters"), kEncoder);
  EXPECT_EQ(parts.at(2).at("parameters"), kDecoder);
  EXPECT_EQ(parts.at(3).at("parameters"), 0);
  EXPECT_EQ(object.at("parameters"), kEmbeddings + kEncoder + kDecoder);
  EXPECT_EQ(object.at("bytes"), 4 * (kEmbeddings + kEncoder + kDecoder));
  EXPECT_EQ(object.at("dtypes"), (json::value{{"F32", kEmbeddings + kEncoder + kDecoder}}));
  EXPECT_EQ(object.at("ignored_tensors"), 105 - 66);
}

TEST_F(Inspection, TellsWhatAPackageIsAsJson) {
  const json::object object = json::parse(inspect(package_, InspectionFormat::kJson)).as_object();
  EXPECT_EQ(object.at("name"), "tiny");
  EXPECT_EQ(object.at("source_language"), "de");
  EXPECT_EQ(object.at("target_language"), "en");
  EXPECT_EQ(object.at("policies"), (json::array{"gma", "wait-k"}));
  EXPECT_EQ(object.at("default_policy"), "gma:delta=1");
  EXPECT_EQ(object.at("source_forms"), (json::array{"written"}));
  EXPECT_EQ(json::serialize(object.at("alignment_heads")), "[[1,3],[0,2]]");
  EXPECT_EQ(object.at("training_data"), "random numbers");
  EXPECT_EQ(object.at("licence"), "MIT");
  EXPECT_EQ(object.at("origin"), "a random generator");
  EXPECT_TRUE(object.at("vocabulary").is_null());
  const json::object& architecture = object.at("architecture").as_object();
  EXPECT_EQ(architecture.at("d_model"), 32);
  EXPECT_EQ(architecture.at("norm"), "post");
  EXPECT_EQ(architecture.at("cross_attention"), "gma");
  EXPECT_EQ(architecture.at("tied_output"), true);
}

TEST_F(Inspection, TellsWhatAPackageIsAsText) {
  const std::string text = inspect(package_, InspectionFormat::kText);
  EXPECT_THAT(text, HasSubstr("languages           de to en\n"));
  EXPECT_THAT(text, HasSubstr("cross_attention     gma\n"));
  EXPECT_THAT(text, HasSubstr("policies            gma, wait-k\n"));
  EXPECT_THAT(text, HasSubstr("alignment heads     1.3, 0.2\n"));
  EXPECT_THAT(text, HasSubstr("source forms        written\n"));
  EXPECT_THAT(text, HasSubstr("tokenizer           none\n"));
  EXPECT_THAT(text, ContainsRegex("parameters +47,552 +0\\.19 MB\n"));
}

TEST_F(Inspection, ListsTheTensorsOfAFile) {
  const std::string text = inspect(kTiny, InspectionFormat::kText);
  EXPECT_THAT(text, HasSubstr("decoder.layers.1.encoder_attn.vp F32 [32, 1]\n"));
  EXPECT_THAT(text, HasSubstr("embed_dim           32\n"));
  EXPECT_THAT(text, ContainsRegex("105 tensors "));
  const json::object object = json::parse(inspect(kTiny, InspectionFormat::kJson)).as_object();
  EXPECT_EQ(object.at("metadata").at("heads"), "4");
  EXPECT_EQ(object.at("tensors").as_array().size(), 105U);
  EXPECT_EQ(object.at("tensors").at(0),
            (json::value{
                {"name", "case0.src_tokens"}, {"dtype", "I64"}, {"shape", {10}}, {"bytes", 80}}));
}

TEST_F(Inspection, FailsWhereThePackageDoes) {
  std::filesystem::remove(package_ / "weights.safetensors");
  EXPECT_THAT(error_of([&] { inspect(package_, InspectionFormat::kText); }),
              HasSubstr("weights.safetensors: cannot be read"));
  EXPECT_THAT(error_of([&] { inspect(folder_.path() / "none", InspectionFormat::kText); }),
              HasSubstr("none: cannot be read: No such file"));
}

}  // namespace
}  // namespace surtitle
