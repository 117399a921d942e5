#include "model/package/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/model/support/test_files.h"
#include "tests/model/support/zero_package.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A small package on disk whose parts a test spoils.
class PackageTest : public ::testing::Test {
 protected:
  PackageTest() {
    description_.name = "tiny";
    description_.target_language = "no";  // bare, YAML takes this for false
    description_.policies = {"gma", "wait-k"};
    description_.default_policy = "gma:delta=1.5";
    description_.source_forms = {TextForm::kWritten, TextForm::kSpoken};
    description_.trained_words = 48;
    description_.placeholders = {"X7", "Boston"};
    description_.training_data = "Tatoeba: \"ja\", 100 % # of it";
    description_.licence = "CC BY 2.0 FR";
    description_.origin = "https://example.org/model";
  }

  void write() {
    write_package(folder(), description_, weights_);
    if (description_.tokenizer.type == TokenizerFiles::Type::kSentencepiece) {
      std::filesystem::copy_file(test_tokenizer_file(), folder() / description_.tokenizer.source,
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }
  std::filesystem::path folder() const { return folder_.path() / "package"; }
  std::string open_error() {
    return error_of([&] { open_package(folder()); });
  }
  std::string weights_error(const std::string& tensor) const {
    return (folder() / "weights.safetensors").string() + ": tensor '" + tensor + "': ";
  }
  TensorView& weight(const std::string& name) {
    return *std::find_if(weights_.begin(), weights_.end(),
                         [&](const TensorView& tensor) { return tensor.name == name; });
  }
  // Replaces `from` in model.yaml.
  void edit_description(const std::string& from, const std::string& to) {
    std::string text = read_text(folder() / "model.yaml");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_text(folder() / "model.yaml", text.replace(at, from.size(), to));
  }

  TemporaryFolder folder_;
  ZeroPackage zeros_;
  PackageDescription& description_ = zeros_.description;
  std::vector<TensorView>& weights_ = zeros_.weights;
};

TEST_F(PackageTest, OpensWhatWasWritten) {
  write();
  const Package package = open_package(folder());
  EXPECT_EQ(package.folder, folder());
  EXPECT_EQ(package.description.name, "tiny");
  EXPECT_EQ(package.description.source_language, "de");
  EXPECT_EQ(package.description.target_language, "no");
  EXPECT_EQ(package.description.architecture, description_.architecture);
  EXPECT_EQ(package.description.tokenizer, TokenizerFiles());
  EXPECT_THAT(package.description.policies, ElementsAre("gma", "wait-k"));
  EXPECT_EQ(package.description.default_policy, "gma:delta=1.5");
  EXPECT_EQ(package.description.source_forms, description_.source_forms);
  EXPECT_EQ(package.description.trained_words, 48);
  EXPECT_EQ(package.description.placeholders, (std::vector<std::string>{"X7", "Boston"}));
  EXPECT_EQ(package.description.training_data, description_.training_data);
  EXPECT_EQ(package.description.licence, description_.licence);
  EXPECT_EQ(package.description.origin, description_.origin);
  EXPECT_EQ(package.weights.tensors().size(), weights_.size());
  ASSERT_NE(package.tokenizers.source, nullptr);
  EXPECT_EQ(package.tokenizers.target->vocabulary_size(), kTestVocabulary);
}

TEST_F(PackageTest, FillsInWhatMayBeLeftOut) {
  description_.tokenizer = kNoTokenizer;
  write();
  write_text(folder() / "model.yaml",
             "format: 1\nsource_language: de\ntarget_language: en\ntokenizer: ''\narchitecture:\n" +
                 to_yaml(description_.architecture));
  const Package package = open_package(folder());
  EXPECT_EQ(package.description.name, "package");
  EXPECT_THAT(package.description.policies, ElementsAre("gma"));
  EXPECT_EQ(package.description.default_policy, "gma");
  EXPECT_THAT(package.description.source_forms, ElementsAre(TextForm::kWritten));
  EXPECT_EQ(package.description.trained_words, kDefaultTrainedWords);
  EXPECT_EQ(package.tokenizers.source, nullptr);
}

TEST_F(PackageTest, TakesItsPolicyFromItsCrossAttention) {
  const auto file = folder_.path() / "model.yaml";
  for (const auto& [attention, policy] : {std::pair{"[{layers: top 1, type: mma}]", "mma"},
                                          {"gma", "gma"},
                                          {"sact", "full-sentence"}}) {
    write_text(file,
               std::string("format: 1\nsource_language: de\ntarget_language: en\ntokenizer: ''\n"
                           "architecture: {cross_attention: ") +
                   attention + "}\n");
    EXPECT_THAT(load_description(file).policies, ElementsAre(policy)) << attention;
  }
}

TEST_F(PackageTest, TakesTheReleasedTinyModel) {
  const SafetensorsFile tiny(std::filesystem::path(SURTITLE_SOURCE_DIR) /
                             "tests/golden/gma_model_tiny.safetensors");
  description_.tokenizer = kNoTokenizer;
  description_.architecture = {.d_model = 32,
                               .heads = 4,
                               .ffn = 64,
                               .encoder_layers = 2,
                               .decoder_layers = 2,
                               .source_vocabulary = 40,
                               .target_vocabulary = 44,
                               .norm = Norm::kPost,
                               .shared_embeddings = false};
  write_package(folder(), description_, tiny.tensors(), tiny.metadata());
  EXPECT_EQ(open_package(folder()).weights.tensors().size(), tiny.tensors().size());
}

TEST_F(PackageTest, NamesAMissingFile) {
  EXPECT_EQ(open_error(), (folder() / "model.yaml").string() + ": cannot be read");
  write();
  std::filesystem::remove(folder() / "sentencepiece.model");
  EXPECT_EQ(open_error(), (folder() / "sentencepiece.model").string() + ": cannot be read");
  std::filesystem::remove(folder() / "weights.safetensors");
  EXPECT_EQ(open_error(), (folder() / "weights.safetensors").string() +
                              ": cannot be read: No such file or directory");
}

TEST_F(PackageTest, HasAPrefixForEachTargetLanguage) {
  description_.source_prefixes = {{"no", {"\u2581the"}}, {"pt-BR", {"\u2581a", "s"}}};
  write();
  EXPECT_EQ(open_package(folder()).description.source_prefixes, description_.source_prefixes);
  edit_description("target_language: \"no\"", "target_language: pt_br");
  const Package package = open_package(folder());
  EXPECT_EQ(package.description.source_prefixes.front(), description_.source_prefixes.back());
  ASSERT_EQ(package.source_prefixes.size(), 2U);
  EXPECT_EQ(package.source_prefixes.front().size(), 2U);
  EXPECT_EQ(package.tokenizers.source->piece(package.source_prefixes.back().front()), "\u2581the");
}

TEST_F(PackageTest, RejectsOtherPrefixes) {
  const std::string allowed = "; allowed: each target language once, with one or more pieces";
  for (const auto& [prefixes, found] : std::vector<std::pair<std::string, std::string>>{
           {"[a]", "is no map"},
           {"{de: [a]}", "lacks 'no', the target_language"},
           {"{'no': [a], '1': [a]}", "has '1', which is no language"},
           {"{'no': [a], de: [a], DE: [s]}", "has 'de' twice"},
           {"{'no': []}", "has no pieces for 'no'"}}) {
    write();
    edit_description("source_forms", "source_prefix: " + prefixes + "\nsource_forms");
    EXPECT_THAT(open_error(), HasSubstr("'source_prefix' " + found + allowed)) << prefixes;
  }
  write();
  edit_description("source_forms", "source_prefix: {'no': ['>>no<<']}\nsource_forms");
  EXPECT_THAT(open_error(), HasSubstr("'source_prefix' has '>>no<<'; allowed: pieces of the"));
}

TEST_F(PackageTest, NamesAMissingTensor) {
  std::erase_if(weights_, [](const TensorView& tensor) {
    return tensor.name == "decoder.layers.0.fc1.bias";
  });
  write();
  EXPECT_EQ(open_error(),
            weights_error("decoder.layers.0.fc1.bias") + "found none, expected shape [12]");
}

TEST_F(PackageTest, NamesATensorOfAWrongShape) {
  weight("encoder.layers.0.fc1.weight").shape = {8, 12};
  write();
  EXPECT_EQ(open_error(),
            weights_error("encoder.layers.0.fc1.weight") + "found shape [8, 12], expected [12, 8]");
}

TEST_F(PackageTest, NamesATensorOfAWrongType) {
  weight("decoder.layer_norm.bias").dtype = DType::kI32;
  write();
  EXPECT_EQ(open_error(),
            weights_error("decoder.layer_norm.bias") + "found I32, expected F32, F16 or BF16");
}

TEST_F(PackageTest, NamesAWeightThatIsNotFinite) {
  // NaN, both infinities, and each 16-bit type; element 5 of 8.
  struct Case {
    DType dtype;
    std::uint32_t bits;
  };
  TensorView& tensor = weight("decoder.layers.0.final_layer_norm.weight");
  for (const Case& broken :
       {Case{DType::kF32, 0x7FC00000}, Case{DType::kF32, 0x7F800000}, Case{DType::kF32, 0xFF800000},
        Case{DType::kF16, 0x7E00}, Case{DType::kF16, 0xFC00}, Case{DType::kBF16, 0x7FC0},
        Case{DType::kBF16, 0xFF80}}) {
    std::vector<std::byte> values(8 * byte_size(broken.dtype));
    std::memcpy(&values[5 * byte_size(broken.dtype)], &broken.bits, byte_size(broken.dtype));
    tensor.dtype = broken.dtype;
    tensor.data = values;
    write();
    EXPECT_EQ(open_error(), weights_error(tensor.name) +
                                "found NaN or infinity at element 5, expected finite numbers");
  }
}

TEST_F(PackageTest, FindsANanAnywhereInALargeTensor) {
  TensorView& tensor = weight("decoder.embed_tokens.weight");
  const std::uint32_t nan = 0x7FC00000;
  for (const std::size_t element :
       {std::size_t{0}, std::size_t{1023}, std::size_t{1024}, std::size_t{7999}}) {
    std::vector<std::byte> values(tensor.data.size());
    std::memcpy(&values[element * 4], &nan, sizeof(nan));
    const auto zeros = std::exchange(tensor.data, values);
    write();
    tensor.data = zeros;
    EXPECT_THAT(open_error(), HasSubstr("at element " + std::to_string(element) + ","));
  }
}

TEST_F(PackageTest, TakesLargeAndTinyFiniteWeights) {
  TensorView& tensor = weight("decoder.layers.0.final_layer_norm.weight");
  const auto bits = std::to_array<std::uint32_t>(
      {0x7F7FFFFF, 0xFF7FFFFF, 1, 0x80000001, 0, 0x80000000, 0x3F800000, 0x7F000000});
  tensor.data = std::as_bytes(std::span(bits));
  write();
  EXPECT_NO_THROW(open_package(folder()));
}

TEST_F(PackageTest, RefusesCutWeights) {
  write();
  const auto file = folder() / "weights.safetensors";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_THAT(open_error(), HasSubstr("the file is truncated"));
  EXPECT_THAT(open_error(), HasSubstr("weights.safetensors: tensor '"));
}

TEST_F(PackageTest, RefusesATokenizerOfAnotherSize) {
  description_.architecture.source_vocabulary = kTestVocabulary - 1;
  description_.architecture.target_vocabulary = kTestVocabulary - 1;
  TensorView& embedding = weight("decoder.embed_tokens.weight");
  embedding.shape[0] -= 1;
  embedding.data = embedding.data.subspan(8 * sizeof(float));
  write();
  EXPECT_EQ(open_error(),
            (folder() / "sentencepiece.model").string() +
                ": found 2000 pieces, expected 1999, the source_vocabulary of model.yaml");
}

// A dictionary of `tokens` tokens, the special ones included.
std::string dictionary(int tokens) {
  std::string text;
  for (int token = 4; token < tokens; ++token) text += "w" + std::to_string(token) + " 1\n";
  return text;
}

TEST_F(PackageTest, HasADictionaryForEachLanguage) {
  description_.tokenizer = {TokenizerFiles::Type::kDictionary, "dict.de.txt", "dict.no.txt"};
  write();
  write_text(folder() / "dict.de.txt", dictionary(kTestVocabulary));
  write_text(folder() / "dict.no.txt", dictionary(kTestVocabulary - 7));
  const Package package = open_package(folder());
  EXPECT_EQ(package.description.tokenizer, description_.tokenizer);
  EXPECT_EQ(package.tokenizers.source->vocabulary_size(), kTestVocabulary);
  EXPECT_EQ(package.tokenizers.target->vocabulary_size(), kTestVocabulary - 7);

  write_text(folder() / "dict.no.txt", dictionary(kTestVocabulary - 8));
  EXPECT_EQ(open_error(), (folder() / "dict.no.txt").string() +
                              ": found 1992 pieces, expected 2000, the target_vocabulary of "
                              "model.yaml");
  write_text(folder() / "dict.de.txt", dictionary(kTestVocabulary + 1));
  EXPECT_EQ(open_error(), (folder() / "dict.de.txt").string() +
                              ": found 2001 pieces, expected 2000, the source_vocabulary of "
                              "model.yaml");
  write_text(folder() / "dict.de.txt", "der 1\ndie\n");
  EXPECT_EQ(open_error(), (folder() / "dict.de.txt").string() + ":2: expected TOKEN COUNT");
  std::filesystem::remove(folder() / "dict.de.txt");
  EXPECT_EQ(open_error(), (folder() / "dict.de.txt").string() + ": cannot be read");
}

TEST_F(PackageTest, TextForReadersIsOneLine) {
  write();
  edit_description("licence: \"CC BY 2.0 FR\"", "licence: \"CC BY\\e[31m\\n2.0\"");
  edit_description("origin: \"https://example.org/model\"", "origin: ~");
  const Package package = open_package(folder());
  EXPECT_EQ(package.description.licence, "CC BY [31m 2.0");
  EXPECT_EQ(package.description.origin, "");
  edit_description("CC BY", "CC \xFF");
  EXPECT_THAT(open_error(), HasSubstr("'licence' is not text; allowed: UTF-8"));
}

TEST_F(PackageTest, NamesTheLineOfAWrongField) {
  const std::string file = (folder() / "model.yaml").string();
  const auto error_with = [&](const std::string& from, const std::string& to) {
    write();
    edit_description(from, to);
    return open_error();
  };
  EXPECT_THAT(error_with("licence:", "license:"),
              HasSubstr("unknown field 'license'; allowed: format, name, source_language"));
  EXPECT_THAT(error_with("format: 1", "format: 2"),
              HasSubstr(file + ":1: 'format' is 2; allowed: 1"));
  EXPECT_THAT(error_with("format: 1\n", ""), HasSubstr("field 'format' is missing"));
  EXPECT_THAT(error_with("\"de\"", "\"d e\""), HasSubstr(file + ":3: 'source_language' is 'd e'"));
  EXPECT_THAT(error_with("architecture:", "architecture: {}\nold:"),
              HasSubstr("unknown field 'old'"));
  EXPECT_THAT(error_with("  ffn: 12", "  ffn: 12.5"), HasSubstr(file + ":8: 'ffn'"));
  EXPECT_THAT(error_with("gma:delta=1.5", "gma:k=1"), HasSubstr("'default_policy': "));
  EXPECT_THAT(error_with("[written, spoken]", "[heard]"), HasSubstr("'source_forms' has heard"));
  for (const char* wrong : {"[X7, X7]", "[\"X 7\"]", "[LongerThan]", "[\"\"]"}) {
    EXPECT_THAT(
        error_with("placeholders: [\"X7\", \"Boston\"]", std::string("placeholders: ") + wrong),
        HasSubstr("'placeholders' must have at most 16 different words"));
  }
  EXPECT_THAT(error_with("trained_words: 48", "trained_words: 0"),
              HasSubstr("'trained_words' is 0"));
  EXPECT_THAT(error_with("- \"wait-k\"", "- \"hope\""), HasSubstr("'policies': "));
  EXPECT_THAT(error_with("\"sentencepiece.model\"", "\"../x\""),
              HasSubstr("a file beside model.yaml"));
  const std::string dictionaries = "{type: dictionary, source: a, target: b";
  EXPECT_THAT(error_with("\"sentencepiece.model\"", dictionaries + ", size: 3}"),
              HasSubstr("unknown field 'size'; allowed: type, source, target"));
  EXPECT_THAT(error_with("\"sentencepiece.model\"", "{type: bytes, source: a, target: b}"),
              HasSubstr("'type' is bytes; allowed: dictionary, sentencepiece"));
  EXPECT_THAT(error_with("\"sentencepiece.model\"", "{type: dictionary, source: a}"),
              HasSubstr("field 'target' is missing"));
  EXPECT_THAT(error_with("\"sentencepiece.model\"", "{type: dictionary, source: a, target: ../b}"),
              HasSubstr("'target' is '../b'; allowed: a file beside model.yaml"));
  EXPECT_THAT(error_with("format: 1", "format: [1"), HasSubstr(file + ":"));
}

}  // namespace
}  // namespace surtitle
