// The released tiny model as a package with a handmade tokenizer. Its tensors have their fairseq
// names, fairseq's leftovers included.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/engine/offline.h"
#include "model/engine/translator.h"
#include "model/package/inspection.h"
#include "model/package/package.h"
#include "model/text/words.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"
#include "tests/model/support/handmade_tokenizer.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

class ReleasedModel : public testing::Test {
 protected:
  ReleasedModel() {
    description_.source_language = "de";
    description_.target_language = "en";
    description_.architecture = golden_config(golden_);
    for (const auto& tensor : golden_.tensors()) {
      if (tensor.name.starts_with("encoder.") || tensor.name.starts_with("decoder."))
        tensors_.push_back(tensor);
    }
    for (const char* leftover :
         {"encoder.version", "decoder.version", "encoder.embed_positions._float_tensor"})
      if (golden_.find(leftover) == nullptr)
        tensors_.push_back({leftover, DType::kF32, {1}, std::as_bytes(std::span(&kOne, 1))});
  }

  void write(int pieces) {
    write_package(package(), description_, tensors_, golden_.metadata());
    write_text(package() / "sentencepiece.model", handmade_tokenizer(pieces));
  }
  std::filesystem::path package() const { return folder_.path() / "tiny"; }

  static constexpr float kOne = 1;
  const SafetensorsFile golden_{golden_files("gma_model_", ".safetensors").back()};
  TemporaryFolder folder_;
  PackageDescription description_;
  std::vector<TensorView> tensors_;
};

TEST_F(ReleasedModel, IsAPackageThatTranslates) {
  write(description_.architecture.source_vocabulary);
  const auto opened = open_package(package());
  EXPECT_EQ(opened.tokenizers.source->vocabulary_size(),
            description_.architecture.source_vocabulary);
  const auto text = inspect(package(), InspectionFormat::kText);
  EXPECT_THAT(text, HasSubstr("cross_attention     gma\n"));
  EXPECT_THAT(text, HasSubstr("norm                post\n"));
  EXPECT_THAT(text, HasSubstr("tokenizer           sentencepiece.model, 40 pieces\n"));

  const auto translator =
      load_translator(package(), {.device = "cpu", .threads = 1, .max_sentences = 4});
  const std::vector<std::string> sources = {"ab ba", "hello world", "a", "zebra abba bab"};
  const auto translations = translate_offline(std::span(&translator, 1), opened.tokenizers, sources,
                                              make_policy(opened.description.default_policy));
  std::set<std::vector<int>> different;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(translations[i].source_words, static_cast<int>(split_words(sources[i]).size()));
    different.insert(translations[i].tokens);
    ASSERT_EQ(translations[i].reads.size(), translations[i].tokens.size() + 1);
    EXPECT_TRUE(std::is_sorted(translations[i].reads.begin(), translations[i].reads.end()));
  }
  EXPECT_GT(different.size(), 1U) << "every source has the same translation";
}

TEST_F(ReleasedModel, TranslatesTheSameWithTranslatorsThatShareItsWeights) {
  write(description_.architecture.source_vocabulary);
  const auto opened = open_package(package());
  const auto policy = make_policy(opened.description.default_policy);
  std::vector<std::string> sources;
  sources.reserve(40);
  for (std::size_t i = 0; i < 40; ++i) sources.emplace_back(i % 7, 'a');
  const auto one = load_translator(package(), {.device = "cpu", .threads = 1, .max_sentences = 4});
  const auto expected = translate_offline(std::span(&one, 1), opened.tokenizers, sources, policy);
  const auto several =
      load_translators(package(), {.device = "cpu", .threads = 3, .max_sentences = 20});
  ASSERT_EQ(several.size(), 3U);
  int sentences = 0;
  for (const auto& translator : several) sentences += translator->info().max_sentences;
  EXPECT_EQ(sentences, 20);
  const auto found = translate_offline(several, opened.tokenizers, sources, policy);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens) << i;
    EXPECT_EQ(found[i].reads, expected[i].reads) << i;
  }
  EXPECT_EQ(load_translators(package(), {.device = "cpu", .threads = 3, .max_sentences = 8}).size(),
            1U);
}

TEST_F(ReleasedModel, TakesAsFewPiecesAsPaddingExplains) {
  write(33);
  EXPECT_THAT(error_of([&] { open_package(package()); }),
              HasSubstr("found 33 pieces, expected 44, the target_vocabulary"));
  write(36);
  EXPECT_THAT(error_of([&] { open_package(package()); }),
              HasSubstr("found 36 pieces, expected 44"));
  write(37);
  EXPECT_NO_THROW(open_package(package()));
  write(41);
  EXPECT_THAT(error_of([&] { open_package(package()); }),
              HasSubstr("found 41 pieces, expected 40, the source_vocabulary"));
}

}  // namespace
}  // namespace surtitle
