// Runs the real programs: training from a recipe, errors of damaged packages, and `surtitle bench`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>
#include <regex>

#include "model/package/package.h"
#include "tests/model/support/run_program.h"
#include "tests/model/support/tiny_training.h"
#include "tests/model/support/zero_package.h"

namespace surtitle {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class TrainCommand : public testing::Test, public TinyTraining {
 protected:
  ProgramEnd surtitle_train(const std::string& run, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {
        "train", write_recipe(), "--output", folder(run), "--threads", "1", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("surtitle", arguments);
  }
};

TEST_F(TrainCommand, TrainsResumesAndTellsOfIt) {
  recipe.training.max_updates = 8;
  recipe.training.checkpoint_updates = 4;
  const auto first = surtitle_train("run");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.out, "");
  EXPECT_THAT(first.err,
              ContainsRegex("checkpoint-4\\.safetensors: loss [0-9.]+, [0-9]+ tokens/s, "
                            "dev perplexity [0-9.]+, BLEU [0-9.]+, AL [0-9.-]+ words\n"));
  EXPECT_THAT(first.err, HasSubstr("checkpoint-8.safetensors: "));
  EXPECT_THAT(first.err, HasSubstr("\nall updates are done; the model is in " +
                                   (folder("run") / "package").string() + "\n"));
  EXPECT_EQ(first.err.find('\r'), std::string::npos) << "no bar without a terminal";
  EXPECT_EQ(open_package(folder("run") / "package").description.name, "copy");

  recipe.training.max_updates = 12;
  const auto second = surtitle_train("run", {"--resume", checkpoint("run", 8)});
  EXPECT_EQ(second.exit_code, 0);
  const auto log = read_lines(folder("run") / "log.jsonl");
  ASSERT_EQ(log.size(), 3U);
  EXPECT_THAT(log.back(),
              MatchesRegex("\\{\"update\": 12, \"epoch\": [0-9]+, \"loss\": [0-9.]+, "
                           "\"learning_rate\": [0-9.]+, \"tokens_per_second\": [0-9.e+]+, "
                           "\"tokens_per_cpu_second\": [0-9.e+]+, "
                           "\"dev_perplexity\": [0-9.]+, \"dev_bleu\": [0-9.]+, "
                           "\"dev_al\": [0-9.-]+\\}"));
}

// From OPUS-MT to GMA: docs/training.md.
TEST_F(TrainCommand, FineTunesAnImportedModelForGma) {
  const auto imported = folder("imported");
  const auto import =
      run_program("surtitle", {"import", "marian",
                               std::filesystem::path(SURTITLE_SOURCE_DIR) / "tests/data/marian/hf",
                               "--output", imported, "--from", "de", "--to", "en"});
  ASSERT_EQ(import.exit_code, 0) << import.err;
  const auto file = folder("tune.yaml");
  write_text(file, R"(name: tuned
source_language: de
target_language: en
train: [{source: train.de, target: train.en}]
dev: [{source: dev.de, target: dev.en}]
architecture: {cross_attention: gma}
default_policy: gma:delta=1
training:
  {policies: ["gma:delta=0.5..3"], batch_tokens: 300, learning_rate: 0.01, warmup_updates: 4,
   max_updates: 8, checkpoint_updates: 4, average: 1}
)");
  const auto train = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train",     file, "--output", folder("run"),
                                          "--threads", "1",  "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("surtitle", arguments);
  };
  const auto first = train({"--init-from", imported});
  ASSERT_EQ(first.exit_code, 0) << first.err;

  const auto start = open_package(imported).description;
  auto expected = start.architecture;
  expected.encoder_reach = EncoderReach::kCausal;
  expected.cross_attention = {GmaOptions()};
  const auto tuned = open_package(folder("run") / "package");
  EXPECT_EQ(tuned.description.architecture, expected);
  EXPECT_EQ(tuned.description.tokenizer, start.tokenizer);
  EXPECT_EQ(tuned.description.default_policy, "gma:delta=1");
  const auto log = read_lines(folder("run") / "log.jsonl");
  ASSERT_EQ(log.size(), 2U);
  const auto perplexity = [&](std::size_t line) {
    return boost::json::parse(log[line]).at("dev_perplexity").to_number<double>();
  };
  EXPECT_LT(perplexity(1), perplexity(0)) << "it learns";

  const auto rest = train({"--resume", checkpoint("run", 8), "--cooldown", "2"});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(read_lines(folder("run") / "log.jsonl").size(), 3U);

  const auto error_of_new_run = [&] {
    const auto end = run_program("surtitle", {"train", file, "--output", folder("new"), "--device",
                                              "cpu", "--init-from", imported});
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder("new")));
    return end.err;
  };
  EXPECT_THAT(train({"--init-from", imported}).err, HasSubstr("--resume to continue it"));

  // Several target languages would need the prefix of one before each source.
  const auto description = read_text(imported / "model.yaml");
  write_text(imported / "model.yaml", description + "source_prefix: {en: [\"a\"], fr: [\"b\"]}\n");
  EXPECT_THAT(error_of_new_run(), HasSubstr("a model of several target languages"));
  write_text(imported / "model.yaml", std::regex_replace(description, std::regex("architecture:\n"),
                                                         "architecture:\n  target_memory: ssru\n"));
  EXPECT_THAT(error_of_new_run(), HasSubstr(imported.string() + ": its decoder has an SSRU"));
}

TEST_F(TrainCommand, SaysInOneLineWhatIsWrong) {
  const auto error_with = [&](const std::vector<std::string>& more) {
    const auto end = surtitle_train("run", more);
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_EQ(end.out, "");
    EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
    EXPECT_FALSE(std::filesystem::exists(folder("run"))) << "a failed start leaves no folder";
    return end.err;
  };
  EXPECT_EQ(error_with({"--resume", folder("none")}),
            "surtitle train: " + folder("none").string() + ": cannot be read\n");
  EXPECT_THAT(error_with({"--init-from", folder("none")}), HasSubstr("model.yaml: cannot be read"));
  EXPECT_THAT(error_with({"--data", folder("none")}), HasSubstr("train.de: cannot be read"));
  recipe.training.policies = {"wait-k:k=9..1"};
  EXPECT_THAT(error_with({}), HasSubstr("low end is above"));
}

TEST_F(TrainCommand, KnowsWhatDoesNotGoTogether) {
  for (const auto& wrong : std::vector<std::vector<std::string>>{
           {"--resume", "a", "--init-from", "b"}, {"--cooldown", "5"}, {"--threads", "-1"}}) {
    const auto end = surtitle_train("run", wrong);
    EXPECT_EQ(end.exit_code, 2) << wrong.front();
    EXPECT_FALSE(std::filesystem::exists(folder("run")));
  }
}

// A package of zeros that a test damages; both programs must reject it with one line.
class DamagedPackage : public testing::Test {
 protected:
  void write() { zeros_.write(package_); }
  TensorView& weight() {
    return *std::find_if(zeros_.weights.begin(), zeros_.weights.end(),
                         [&](const TensorView& tensor) { return tensor.name == kTensor; });
  }
  void expect_refusal(const std::string& message) const {
    for (const auto& end : {run_program("surtitle", {"inspect", package_}),
                            run_program("surtitled", {"--port", "0", "--models", package_,
                                                      "--journal-path", "none"})}) {
      EXPECT_EQ(end.exit_code, 1);
      EXPECT_EQ(end.out, "") << "a port was opened";
      EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
      EXPECT_THAT(end.err, HasSubstr(file().string() + ": " + message));
    }
  }
  std::filesystem::path file() const { return package_ / "weights.safetensors"; }

  static constexpr const char* kTensor = "decoder.layers.0.encoder_attn.wp";
  TemporaryFolder folder_;
  std::filesystem::path package_ = folder_.path() / "damaged";
  ZeroPackage zeros_;
};

TEST_F(DamagedPackage, CutShort) {
  write();
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 5);
  expect_refusal("tensor 'decoder.layer_norm.bias'");
  std::filesystem::resize_file(file(), 100);
  expect_refusal("found a header length of");
}

TEST_F(DamagedPackage, WithAHeaderThatLies) {
  write();
  std::string text = read_text(file());
  const std::string offsets = "\"data_offsets\":[";
  const auto at = text.find(offsets, text.find(kTensor)) + offsets.size();
  text[at] = '9';
  write_text(file(), text);
  // Tensors are checked in the order of their bytes, so the error names the tensor after the gap.
  expect_refusal("tensor 'decoder.layers.0.encoder_attn.vp': found bytes");
  const std::uint64_t huge = std::uint64_t{1} << 62;
  std::memcpy(text.data(), &huge, sizeof(huge));
  write_text(file(), text);
  expect_refusal("found a header length of 4611686018427387904 bytes, expected at most");
}

TEST_F(DamagedPackage, WithoutATensor) {
  std::erase_if(zeros_.weights, [](const TensorView& tensor) { return tensor.name == kTensor; });
  write();
  expect_refusal(std::string("tensor '") + kTensor + "': found none, expected shape [8, 8]");
}

TEST_F(DamagedPackage, WithATensorOfAnotherShape) {
  weight().shape = {4, 16};
  write();
  expect_refusal(std::string("tensor '") + kTensor + "': found shape [4, 16], expected [8, 8]");
}

TEST_F(DamagedPackage, WithAWeightThatIsNoNumber) {
  std::vector<float> values(64);
  values[9] = std::numeric_limits<float>::quiet_NaN();
  weight().data = std::as_bytes(std::span(values));
  write();
  expect_refusal(std::string("tensor '") + kTensor + "': found NaN or infinity at element 9");
}

TEST_F(DamagedPackage, ButNotWithTensorsThatNobodyReads) {
  constexpr float kVersion = 3;
  zeros_.weights.push_back(
      {"encoder.version", DType::kF32, {1}, std::as_bytes(std::span(&kVersion, 1))});
  write();
  const auto end = run_program("surtitle", {"inspect", package_});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.err, "");
  EXPECT_THAT(end.out, HasSubstr("ignored tensors     1\n"));
}

class BenchCommand : public testing::Test {
 protected:
  BenchCommand() { ZeroPackage().write(package_); }

  ProgramEnd bench(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"bench", "--model",   package_, "--device",
                                          "cpu",   "--seconds", "0.0001"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("surtitle", arguments);
  }

  TemporaryFolder folder_;
  std::filesystem::path package_ = folder_.path() / "zeros";
};

TEST_F(BenchCommand, PrintsATable) {
  const auto end = bench();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.err, "");
  EXPECT_THAT(end.out, ContainsRegex("^zeros on cpu, (float32|int8), 1 thread; load [0-9.]+\n"));
  for (const char* heading : {"\ndecode ", "\nencode ", "\nshare of time, % ", "\nmemory\n"})
    EXPECT_THAT(end.out, HasSubstr(heading));
}

TEST_F(BenchCommand, PrintsJson) {
  const auto end = bench({"--json", "--precision", "float32", "--threads", "2"});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.err, "");
  const auto json = boost::json::parse(end.out);
  EXPECT_EQ(json.at("model"), "zeros");
  EXPECT_EQ(json.at("precision"), "float32");
  EXPECT_EQ(json.at("threads"), 2);
  for (const char* at :
       {"/decode/batches/0/ms", "/decode/batches/6/tokens_per_second", "/encode/batches/6/gops",
        "/encode/batches/0/weights_gbps", "/decode/growth/1/ratio", "/encode/stages/1/feed_forward",
        "/memory/sentence_bytes"})
    EXPECT_GT(json.at_pointer(at).to_number<double>(), 0) << at;
}

TEST_F(BenchCommand, SaysWhatIsWrong) {
  const auto missing = run_program("surtitle", {"bench", "--model", folder_.path() / "none"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(missing.err, "surtitle bench: model " + (folder_.path() / "none").string() +
                             " is neither a folder nor the name of a shipped model\n");
  for (const auto& wrong : std::vector<std::vector<std::string>>{
           {"--threads", "0"}, {"--precision", "int4"}, {"--seconds", "-1"}, {"--device", "tpu"}})
    EXPECT_EQ(bench(wrong).exit_code, 2) << wrong.front();
}

}  // namespace
}  // namespace surtitle
