// `surtitle segment` as a process: a shipped model learns where meaning units end, and translates
// under `mu` with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>

#include "tests/daemon/support/command_process.h"

namespace surtitle {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string kRoot = SURTITLE_SOURCE_DIR;
const std::string kModel = kRoot + "/model/pretrained/de-en-multipath";
const std::string kText = kRoot + "/tests/data/de-en/tatoeba.test";

class SegmentCommand : public testing::Test {
 protected:
  SegmentCommand()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("segment-" + std::to_string(::getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~SegmentCommand() override { std::filesystem::remove_all(folder_); }

  Ended segment(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"segment", "--model",  kModel,   "--threads",
                                 "1",       "--output", output(), "--source"};
    all.insert(all.end(), more.begin(), more.end());
    return CommandProcess::run(all);
  }

  boost::json::object evaluate(const std::string& policy) const {
    const Ended ended = CommandProcess::run(
        {"evaluate", "--model", output(), "--source", kText + ".de", "--reference", kText + ".en",
         "--policy", policy, "--limit", "60", "--precision", "float32", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "") << "the model was trained for the policy";
    return boost::json::parse(ended.out).as_object();
  }

  std::string output() const { return (folder_ / "de-en-mu").string(); }

  std::filesystem::path folder_;
};

TEST_F(SegmentCommand, TrainsAModelThatTranslatesUnitByUnit) {
  const Ended ended = segment({kText + ".de", "--limit", "150", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto report = boost::json::parse(ended.out).as_object();
  EXPECT_EQ(report.at("sentences"), 135);
  EXPECT_GT(report.at("share").to_number<double>(), 0.02);
  EXPECT_LT(report.at("share").to_number<double>(), 0.5);

  const auto early = evaluate("mu:threshold=0.002");
  const auto late = evaluate("mu:threshold=0.03");
  const auto whole = evaluate("full-sentence");
  const auto lag = [](const boost::json::object& scores) {
    return scores.at("al").to_number<double>();
  };
  EXPECT_LT(lag(early), lag(late));
  EXPECT_LT(lag(late), lag(whole));
  EXPECT_GT(late.at("bleu").to_number<double>(), early.at("bleu").to_number<double>());

  const Ended described = CommandProcess::run({"inspect", output()});
  EXPECT_EQ(described.exit_code, 0) << described.err;
  EXPECT_THAT(described.out, HasSubstr("full-sentence, mu"));
  EXPECT_THAT(described.out, HasSubstr("de-en-mu"));
}

TEST_F(SegmentCommand, PrintsErrorsInOneLine) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& reason) {
    const Ended ended = segment(more);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(reason));
    EXPECT_THAT(ended.err, EndsWith("\n"));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(output()));
  };
  refused({"/no/such"}, "/no/such: cannot be read");
  refused({kText + ".de", "--limit", "9"},
          "9 sentences of " + kText + ".de are too few; allowed: at least 10");
  const std::string copy = (folder_ / "copy").string();
  std::filesystem::copy(kModel, copy);
  const auto into = [&](const std::string& folder) {
    const Ended ended = CommandProcess::run(
        {"segment", "--model", copy, "--output", folder, "--source", kText + ".de"});
    EXPECT_EQ(ended.exit_code, 1);
    return ended.err;
  };
  EXPECT_THAT(into(copy), HasSubstr("is the model's own folder"));
  std::filesystem::create_directory(folder_ / "full");
  std::filesystem::copy_file(copy + "/model.yaml", folder_ / "full" / "model.yaml");
  EXPECT_THAT(into((folder_ / "full").string()),
              HasSubstr("full exists and is not empty; choose another folder, or remove it"));
  EXPECT_THAT(into(copy + "/model.yaml"), HasSubstr("/model.yaml: cannot be written"));
}

}  // namespace
}  // namespace surtitle
