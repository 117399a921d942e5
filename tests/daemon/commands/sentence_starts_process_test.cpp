// `surtitle evaluate --sentence-starts` as a process on shipped models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/daemon/support/command_process.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

const std::string kRoot = SURTITLE_SOURCE_DIR;
const std::string kModels = kRoot + "/model/pretrained/";
const std::string kText = kRoot + "/tests/data/de-en/europarl.test.de";

Ended sentence_starts(const std::string& model, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"evaluate",      "--sentence-starts", "--model",
                                     kModels + model, "--source",          kText};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return CommandProcess::run(arguments);
}

TEST(SentenceStarts, OfAShippedModelAreFound) {
  const Ended ended = sentence_starts("de-en-multipath", {"--limit", "60", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const boost::json::value report = boost::json::parse(ended.out);
  const boost::json::array& groups = report.at("sentence_starts").as_array();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].at("group"), "europarl.test");
  const boost::json::value& all = groups[1];
  EXPECT_EQ(all.at("group"), "all");
  EXPECT_GE(all.at("starts").as_int64(), 40) << "the first of each three lines is not counted";
  EXPECT_GT(all.at("scores").at("f1").to_number<double>(), 0.3);
  EXPECT_GE(all.at("best").at("f1").to_number<double>(),
            all.at("scores").at("f1").to_number<double>());
}

TEST(SentenceStarts, HaveATableWithTheThreshold) {
  const Ended ended = sentence_starts("de-en-multipath", {"--limit", "6", "--threshold", "0.25"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("precision  recall     F1"));
  EXPECT_THAT(ended.out, HasSubstr("0.25"));
}

TEST(SentenceStarts, RequireAModelWithTheClassifier) {
  const Ended ended = sentence_starts("de-en-gma-small", {});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("de-en-gma-small has no classifier of sentence starts; it must "
                                   "be trained with sentence_starts: true"));
}

}  // namespace
}  // namespace surtitle
