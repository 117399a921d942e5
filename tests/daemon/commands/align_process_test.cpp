// `surtitle align` as a process, on the shipped models and a hundred sentences aligned by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "metrics/alignment.h"
#include "tests/daemon/support/command_process.h"

namespace surtitle {
namespace {

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
  EXPECT_THAT(error({"--policy", "hope"}), HasSubstr("unknown policy 'hope'"));
  EXPECT_THAT(error({"--gold", kRoot + "/none"}), HasSubstr("/none: cannot be read"));
  EXPECT_THAT(error({"--gold", kText + ".de"}), HasSubstr("europarl100.de:1: found "));
  EXPECT_THAT(error({"--output", kRoot + "/none/out"}), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace surtitle
