// `surtitle align` as a process, on the shipped models and a hundred sentences aligned by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "metrics/alignment.h"
#include "model/package/package.h"
#include "tests/daemon/support/command_process.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const std::string kRoot = SURTITLE_SOURCE_DIR;
const std::string kText = kRoot + "/tests/data/alignment/europarl100";
const std::string kGold = kText + ".de-en.ref.wa";

std::vector<std::string> align(const std::string& model, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{
      "align",       "--model",     kRoot + "/model/pretrained/" + model,
      "--source",    kText + ".de", "--reference",
      kText + ".en", "--threads",   "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

boost::json::object scores_of(const std::string& model, const std::string& policy,
                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"--policy", policy, "--gold", kGold, "--json"};
  all.insert(all.end(), more.begin(), more.end());
  const Ended ended = CommandProcess::run(align(model, all));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return boost::json::parse(ended.out).as_object();
}

double number(const boost::json::object& scores, const char* key) {
  return scores.at(key).to_number<double>();
}

// Parses alignments as `surtitle align` writes them, one a line.
std::vector<Alignment> parse_pharaoh(const std::string& text) {
  std::vector<Alignment> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream links(line);
    Alignment alignment;
    char dash = 0;
    for (AlignmentLink link; links >> link.source >> dash >> link.target;) {
      alignment.push_back(link);
    }
    all.push_back(alignment);
  }
  return all;
}

TEST(Align, WritesALineOfLinksForEachSentence) {
  const Ended ended = CommandProcess::run(align("de-en-gma-small", {"--gold", kGold}));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, MatchesRegex("([0-9]+-[0-9]+( [0-9]+-[0-9]+)*\n)+"));
  EXPECT_THAT(ended.err,
              HasSubstr("100 sentences under gma:delta=1, attention of decoder layer 2"));
  EXPECT_THAT(ended.err, HasSubstr("\nAER  "));
  // A sentence of the gold file is of other words than its text.
  EXPECT_THAT(ended.err, HasSubstr("1 gold link to words beyond the end of a sentence, counted as "
                                   "not found\n"));

  const auto alignments = parse_pharaoh(ended.out);
  ASSERT_EQ(alignments.size(), 100U);
  const auto scores = score_alignments(
      alignments, read_gold_alignments(std::filesystem::path(kGold), alignments.size()));
  const auto reported = scores_of("de-en-gma-small", "gma:delta=1");
  EXPECT_DOUBLE_EQ(number(reported, "aer"), scores.aer.value());
  EXPECT_DOUBLE_EQ(number(reported, "precision"), scores.precision.value());
  EXPECT_DOUBLE_EQ(number(reported, "recall"), scores.recall.value());
}

// The measured values, with room for the rounding of other kernels.
TEST(Align, HasTheMeasuredScoresOfTheShippedModels) {
  const auto gma = scores_of("de-en-gma-small", "gma:delta=2");
  EXPECT_NEAR(number(gma, "aer"), 0.626, 0.02);
  EXPECT_NEAR(number(gma, "share_read"), 0.712, 0.02);
  const auto whole = scores_of("de-en-multipath", "full-sentence");
  EXPECT_NEAR(number(whole, "aer"), 0.422, 0.02);
  EXPECT_EQ(number(whole, "share_read"), 1);
  EXPECT_GT(number(scores_of("de-en-multipath", "full-sentence", {"--layer", "0"}), "aer"),
            number(whole, "aer"));
}

TEST(Align, SeesNoMoreThanThePolicyAllows) {
  const auto wait_1 = scores_of("de-en-multipath", "wait-k:k=1");
  const auto wait_5 = scores_of("de-en-multipath", "wait-k:k=5");
  EXPECT_LT(number(wait_1, "share_read"), number(wait_5, "share_read"));
  EXPECT_LT(number(wait_5, "share_read"), 1);
  EXPECT_LT(wait_1.at("entropy").at(0).at("entropy").to_number<double>(),
            wait_5.at("entropy").at(0).at("entropy").to_number<double>());
  EXPECT_EQ(wait_1.at("entropy").at(1).at("source_words"), "11-20");
}

TEST(Align, ForcesUnderFullSentenceIfTheDefaultTranslatesInDrafts) {
  const Ended ended = CommandProcess::run(align("de-en-multipath", {"--gold", kGold}));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("100 sentences under full-sentence, "));
  EXPECT_THAT(ended.err, testing::Not(HasSubstr("not trained")));
}

// A package whose model.yaml may be written.
class CalibratedPackage : public testing::Test {
 protected:
  CalibratedPackage() {
    const fs::path shipped = fs::path(kRoot) / "model/pretrained/de-en-multipath";
    for (const char* name : {"weights.safetensors", "sentencepiece.model"}) {
      fs::create_symlink(shipped / name, folder_.path() / name);
    }
    PackageDescription description = load_description(shipped / kDescriptionFile);
    description.alignment_heads.clear();
    write(to_yaml(description));
  }

  Ended calibrate(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{
        "align",       "--model",     folder_.path(), "--source",  kText + ".de",
        "--reference", kText + ".en", "--calibrate",  "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return CommandProcess::run(arguments);
  }

  fs::path file() const { return folder_.path() / kDescriptionFile; }
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  std::string text() const {
    std::stringstream text;
    text << std::ifstream(file()).rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
};

TEST_F(CalibratedPackage, HasTheHeadsThatAlign) {
  const PackageDescription before = load_description(file());
  const Ended ended = calibrate({"--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto result = boost::json::parse(ended.out).as_object();
  EXPECT_EQ(result.at("sentences"), 100);
  EXPECT_GT(number(result, "agreement"), 0.35);
  PackageDescription after = load_description(file());
  ASSERT_FALSE(after.alignment_heads.empty());
  const auto& heads = result.at("alignment_heads").as_array();
  ASSERT_EQ(heads.size(), after.alignment_heads.size());
  EXPECT_EQ(heads.at(0).at(0), after.alignment_heads.front().layer);
  EXPECT_EQ(heads.at(0).at(1), after.alignment_heads.front().head);
  after.alignment_heads.clear();
  EXPECT_EQ(to_yaml(after), to_yaml(before));

  const Ended again = calibrate({});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("100 sentences, "));
  EXPECT_THAT(again.out, HasSubstr("\nlayer " + std::to_string(heads.at(0).at(0).as_int64()) +
                                   ", head " + std::to_string(heads.at(0).at(1).as_int64())));
  EXPECT_THAT(again.out, HasSubstr("\ntheir mean "));
}

TEST_F(CalibratedPackage, KeepsAFileThatCannotBeWritten) {
  const std::string before = text();
  fs::create_directory(file().string() + ".tmp");  // fails for the superuser, too
  const Ended ended = calibrate({});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("model.yaml: cannot be written: Is a directory; calibrate a "
                                   "copy of the package\n"));
  EXPECT_EQ(text(), before);
}

TEST_F(CalibratedPackage, IsNotScoredAtTheSameTime) {
  const std::string before = text();
  for (const auto& [flag, value] :
       {std::pair{"--gold", kGold}, {"--policy", std::string("gma")}, {"--layer", "1"}}) {
    const Ended ended = calibrate({flag, value});
    EXPECT_NE(ended.exit_code, 0) << flag;
    EXPECT_THAT(ended.err, HasSubstr("--calibrate"));
  }
  EXPECT_EQ(text(), before);
}

TEST(Align, WritesAlignmentsToAFileAndScoresToStandardOutput) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "surtitle_align_output";
  const Ended ended = CommandProcess::run(align("de-en-gma-small", {"--output", file.string()}));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, testing::IsEmpty());
  EXPECT_THAT(ended.out, HasSubstr("attention entropy"));
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("AER"))) << "there is no gold file";
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("gate"))) << "the model has none";
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(parse_pharaoh(text.str()).size(), 100U);
  std::filesystem::remove(file);
}

TEST(Align, PrintsErrorsInOneLine) {
  const auto error = [](const std::vector<std::string>& more) {
    const Ended ended = CommandProcess::run(align("de-en-gma-small", more));
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  };
  EXPECT_EQ(error({"--layer", "3"}),
            "surtitle align: layer 3; allowed: 0 to 2, the layers of the decoder\n");
  EXPECT_THAT(error({"--policy", "local-agreement"}),
              HasSubstr("a text is forced under a policy that decides for each token"));
  EXPECT_THAT(error({"--policy", "alignatt:f=3"}),
              HasSubstr("alignatt:f=3 translates in drafts; a text is forced"));
  EXPECT_THAT(error({"--policy", "hope"}), HasSubstr("unknown policy 'hope'"));
  EXPECT_THAT(error({"--gold", kRoot + "/none"}), HasSubstr("/none: cannot be read"));
  EXPECT_THAT(error({"--gold", kText + ".de"}), HasSubstr("europarl100.de:1: found "));
  EXPECT_THAT(error({"--output", kRoot + "/none/out"}), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace surtitle
