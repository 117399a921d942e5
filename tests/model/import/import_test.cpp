// Imports the tiny golden model from a fairseq checkpoint with the real script.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/analysis/teacher_forcing.h"
#include "model/package/package.h"
#include "model/package/tensor_values.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"
#include "tests/model/support/run_program.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

// The parameter is a checkpoint of fairseq_checkpoint.py.
class ImportedModel : public testing::TestWithParam<const char*> {
 protected:
  ImportedModel() {
    const std::string source = SURTITLE_SOURCE_DIR;
    run({source + "/tests/model/import/fairseq_checkpoint.py", golden_.path(), folder_.path()});
    run({source + "/model/import/fairseq_to_package.py", folder_.path() / GetParam(),
         "--source-dict", folder_.path() / "dict.src.txt", "--target-dict",
         folder_.path() / "dict.tgt.txt", "--source-language", "de", "--target-language", "en",
         "--output", folder_.path() / "package", "--licence", "CC0 \"1.0\": all"});
  }
  static void run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "-B");
    const auto end = run_program(SURTITLE_PYTHON, arguments);
    EXPECT_EQ(end.exit_code, 0) << end.err;
  }
  Package open() const { return open_package(folder_.path() / "package"); }
  std::string metadata(const char* key) const { return golden_.metadata().at(key); }

  TemporaryFolder folder_;
  const SafetensorsFile golden_{golden_files("gma_model_", ".safetensors").front()};
};

TEST_P(ImportedModel, IsTheCheckpoint) {
  const Package package = open();
  EXPECT_EQ(package.description.architecture, golden_config(golden_));
  EXPECT_EQ(package.description.default_policy,
            make_policy("gma:delta=" + metadata("delta"))->spec());
  EXPECT_EQ(package.description.name, "package");
  EXPECT_EQ(package.description.licence, "CC0 \"1.0\": all");
  EXPECT_EQ(package.description.tokenizer.type, TokenizerFiles::Type::kDictionary);
  EXPECT_EQ(package.tokenizers.source->vocabulary_size(), std::stoi(metadata("src_vocab")));
  EXPECT_EQ(package.tokenizers.target->vocabulary_size(), std::stoi(metadata("tgt_vocab")));
  for (const auto& tensor : expected_tensors(package.description.architecture)) {
    EXPECT_EQ(float_values(*package.weights.find(tensor.name)),
              float_values(*golden_.find(tensor.name)))
        << tensor.name;
  }

  // With the released decoder's input, it reads the same number of tokens and has the same argmax.
  TeacherForcing pass(package, {.source_tokens = 1023, .target_tokens = 1023});
  const auto policy = make_policy(package.description.default_policy);
  const int cases = std::stoi(metadata("cases"));
  ASSERT_GT(cases, 0);
  for (int n = 0; n < cases; ++n) {
    const auto prefix = "case" + std::to_string(n) + ".";
    auto source = golden_integers(golden_, prefix + "src_tokens");
    auto target = golden_integers(golden_, prefix + "prev_output_tokens");
    source.pop_back();
    target.erase(target.begin());
    const std::vector<ForcedText> text = {{source, target}};
    const ForcedSentence forced = pass.run(text, *policy).front();
    EXPECT_EQ(forced.reads, golden_integers(golden_, prefix + "reads"));
    const auto logits = float_values(*golden_.find(prefix + "logits"));
    const auto vocabulary =
        static_cast<std::ptrdiff_t>(logits.size()) / static_cast<std::ptrdiff_t>(forced.target);
    for (std::ptrdiff_t t = 0; t < forced.target; ++t) {
      const auto row = logits.begin() + t * vocabulary;
      const int predicted = forced.predicted[static_cast<std::size_t>(t)];
      EXPECT_NEAR(row[predicted], *std::max_element(row, row + vocabulary), 1e-5)
          << prefix << "step " << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fairseq, ImportedModel, testing::Values("old.pt", "new.pt"));

}  // namespace
}  // namespace surtitle
