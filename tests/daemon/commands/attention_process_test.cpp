// `surtitle attention` as a process, and the gates that `surtitle align` reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "tests/daemon/support/command_process.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace json = boost::json;

const std::string kRoot = SURTITLE_SOURCE_DIR;
const std::string kPretrained = kRoot + "/model/pretrained/";
const std::string kSentence = "Guten Morgen, meine Damen und Herren.";

std::vector<std::string> attention(const std::string& model, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"attention", "--model", model, "--threads", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json::object json_of(const std::vector<std::string>& arguments, const std::string& input = {}) {
  const Ended ended = CommandProcess::run(arguments, input);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return json::parse(ended.out).as_object();
}

std::vector<double> numbers(const json::value& array) {
  return json::value_to<std::vector<double>>(array);
}

// Returns the text of tokens, with a space before each word.
std::string text_of(const json::value& tokens) {
  std::string text;
  for (const auto& token : json::value_to<std::vector<std::string>>(tokens)) text += token;
  for (auto at = text.find("▁"); at != std::string::npos; at = text.find("▁")) {
    text.replace(at, std::string_view("▁").size(), " ");
  }
  return text;
}

TEST(Attention, PrintsWhatEachLayerSeesAndAttendsTo) {
  const auto run = json_of(
      attention(kPretrained + "de-en-gma-small", {"--policy", "gma:delta=1", "--json", kSentence}));
  EXPECT_EQ(run.at("model"), "de-en-gma-small");
  EXPECT_EQ(run.at("policy"), "gma:delta=1");
  EXPECT_EQ(text_of(run.at("source")), " " + kSentence + "</s>");
  EXPECT_EQ(text_of(run.at("target")),
            " " + json::value_to<std::string>(run.at("target_text")) + "</s>");
  const auto reads = numbers(run.at("reads"));
  ASSERT_EQ(reads.size(), run.at("target").as_array().size());
  const auto& layers = run.at("layers").as_array();
  ASSERT_EQ(layers.size(), 3U);
  std::vector<double> furthest(reads.size());
  for (const auto& layer : layers) {
    EXPECT_EQ(layer.at("type"), "gma");
    const auto p = numbers(layer.at("p"));
    const auto visible = numbers(layer.at("visible"));
    ASSERT_EQ(p.size(), reads.size());
    ASSERT_EQ(layer.at("attention").as_array().size(), 4U);
    for (std::size_t t = 0; t < reads.size(); ++t) {
      const auto source = static_cast<double>(run.at("source").as_array().size());
      EXPECT_EQ(visible[t], std::min(std::ceil(p[t] + 1), source));
      furthest[t] = std::max(furthest[t], visible[t]);
      for (const auto& head : layer.at("attention").as_array()) {
        const auto weights = numbers(head.at(t));
        EXPECT_EQ(static_cast<double>(weights.size()), source);
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-5);
        for (auto s = static_cast<std::size_t>(visible[t]); s < weights.size(); ++s) {
          EXPECT_EQ(weights[s], 0);
        }
      }
    }
  }
  EXPECT_EQ(reads, furthest);
}

TEST(Attention, ShowsTheModelsOwnTranslationUnlessAnotherIsForced) {
  const std::string model = kPretrained + "de-en-multipath";
  const TemporaryFolder folder;
  const std::string source = folder.path() / "source";
  const std::string output = folder.path() / "output";
  write_text(source, kSentence + "\n");
  const Ended evaluated = CommandProcess::run(
      {"evaluate", "--model", model, "--policy", "wait-k:k=2", "--source", source, "--reference",
       source, "--output", output, "--precision", "float32", "--threads", "1"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const auto own = json_of(attention(model, {"--policy", "wait-k:k=2", "--json", kSentence}));
  EXPECT_EQ(json::value_to<std::string>(own.at("target_text")) + "\n", read_text(output));
  EXPECT_FALSE(own.at("layers").at(0).as_object().contains("p"))
      << "the model predicts no positions";

  const std::string reference = "Hello everybody.";
  const auto forced = json_of(
      attention(model, {"--policy", "wait-k:k=2", "--json", "--target", reference, kSentence}));
  EXPECT_EQ(text_of(forced.at("target")), " " + reference + "</s>");
  EXPECT_EQ(numbers(forced.at("reads")).front(), 2);
}

TEST(Attention, ForcesUnderFullSentenceIfTheDefaultTranslatesInDrafts) {
  const auto own = json_of(attention(kPretrained + "de-en-multipath", {"--json", kSentence}));
  EXPECT_EQ(own.at("policy"), "full-sentence");
}

TEST(Attention, ReadsTheSentenceFromStandardInput) {
  const auto result = [](const std::vector<std::string>& more, const std::string& input) {
    return json_of(attention(kPretrained + "de-en-gma-small", more), input);
  };
  const auto named = result({"--json", "Guten Morgen."}, "");
  EXPECT_EQ(result({"--json"}, "Guten Morgen.\n"), named);
  EXPECT_EQ(result({"--json", "-"}, "Guten Morgen."), named);
}

TEST(Attention, PrintsErrorsInOneLine) {
  const auto error = [](const std::vector<std::string>& more,
                        const std::string& model = kPretrained + "de-en-gma-small") {
    const Ended ended = CommandProcess::run(attention(model, more));
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  };
  EXPECT_EQ(error({"Hallo"}),
            "surtitle attention: no output requested; give --output FILE for the page, or "
            "--json\n");
  EXPECT_EQ(error({"--json"}), "surtitle attention: the sentence is empty\n");
  EXPECT_EQ(error({"--json", "Hallo", "--target", " "}),
            "surtitle attention: the target is empty\n");
  EXPECT_EQ(error({"--json", "\xFF"}), "surtitle attention: the sentence is not UTF-8\n");
  std::string sentence;
  for (int i = 0; i < 600; ++i) sentence += "und ";
  EXPECT_EQ(error({"--json", sentence}),
            "surtitle attention: the sentence has 600 tokens; allowed: 512\n");
  EXPECT_THAT(error({"--json", "--policy", "hope", "Hallo"}), HasSubstr("unknown policy 'hope'"));
  EXPECT_THAT(error({"--json", "--policy", "local-agreement", "Hallo"}),
              HasSubstr("a text is forced under a policy that decides for each token"));
  EXPECT_THAT(error({"--json", "Hallo"}, kRoot + "/none"), HasSubstr("/none"));
  EXPECT_THAT(error({"--output", kRoot + "/none/out", "Hallo"}), HasSubstr("cannot be written"));
}

// A model for text with random weights, and dot-product attention in its lower layer.
class RandomModel : public testing::Test {
 protected:
  explicit RandomModel(const CrossAttention& upper) {
    ModelConfig config{.d_model = 16,
                       .heads = 2,
                       .ffn = 16,
                       .encoder_layers = 1,
                       .decoder_layers = 2,
                       .source_vocabulary = kTestVocabulary,
                       .target_vocabulary = kTestVocabulary,
                       .cross_attention = {DotProductOptions(), upper}};
    PackageDescription description = random_package(config, folder_.path()).description;
    description.tokenizer = {};
    write_text(folder_.path() / "model.yaml", to_yaml(description));
    std::filesystem::copy_file(test_tokenizer_file(), folder_.path() / "sentencepiece.model");
  }

  std::string write_lines(const std::string& name, const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write_text(folder_.path() / name, text);
    return folder_.path() / name;
  }

  TemporaryFolder folder_;
};

struct MonotonicHeads : RandomModel {
  MonotonicHeads() : RandomModel(MmaOptions()) {}
};

TEST_F(MonotonicHeads, HaveTheirStoppingPositionsEvenAtTheFirstToken) {
  const auto shown =
      json_of(attention(folder_.path(), {"--policy", "mma:threshold=1e-6", "--json", "--target",
                                         "Good morning.", "Guten Morgen."}));
  EXPECT_FALSE(shown.at("layers").at(0).as_object().contains("p"));
  const auto p = numbers(shown.at("layers").at(1).at("p"));
  ASSERT_EQ(p.size(), shown.at("target").as_array().size());
  EXPECT_EQ(p.front(), 0) << "nearly any token stops a head";
}

struct Gates : RandomModel {
  Gates() : RandomModel(GaussianMixtureOptions()) {}
};

TEST_F(Gates, AreCountedOverAllStepsOfAllSentences) {
  const std::vector<std::string> sources{"Guten Morgen.", "Ich bin sehr müde."};
  const std::vector<std::string> references{"Good morning.", "I am very tired."};
  double sum = 0;
  std::vector<double> histogram(10);
  double steps = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto shown = json_of(attention(folder_.path(), {"--policy", "wait-k:k=2", "--json",
                                                          "--target", references[i], sources[i]}));
    EXPECT_FALSE(shown.at("layers").at(0).as_object().contains("gate"));
    for (const double gate : numbers(shown.at("layers").at(1).at("gate"))) {
      sum += gate;
      ++histogram.at(static_cast<std::size_t>(gate * 10));
      ++steps;
    }
  }
  const std::vector<std::string> align{"align",
                                       "--model",
                                       folder_.path(),
                                       "--policy",
                                       "wait-k:k=2",
                                       "--source",
                                       write_lines("source", sources),
                                       "--reference",
                                       write_lines("reference", references),
                                       "--output",
                                       folder_.path() / "links"};
  auto as_json = align;
  as_json.emplace_back("--json");
  const auto result = json_of(as_json).at("gates").as_array();
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].at("layer"), 1);
  EXPECT_EQ(result[0].at("steps").to_number<double>(), steps);
  EXPECT_NEAR(result[0].at("mean").to_number<double>(), sum / steps, 1e-6);
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    EXPECT_DOUBLE_EQ(numbers(result[0].at("histogram"))[bin], histogram[bin] / steps);
  }

  const Ended table = CommandProcess::run(align);
  EXPECT_THAT(table.out, HasSubstr("\nlayer 1  "));
  EXPECT_THAT(table.out, Not(HasSubstr("layer 0  ")));
}

}  // namespace
}  // namespace surtitle
