// The log of a training, as surtitle_train writes it.
#include "daemon/evaluation/training_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

class TrainingLog : public testing::Test {
 protected:
  std::vector<TrainingCheckpoint> read(const std::string& text) const {
    return read_training_log(folder_.write("log.jsonl", text));
  }
  std::string error(const std::string& text) const {
    try {
      read(text);
    } catch (const std::runtime_error& failure) {
      return failure.what();
    }
    return "accepted";
  }

  const TemporaryFolder folder_;
};

TEST_F(TrainingLog, HasNumbersThatMayBeMissing) {
  const auto checkpoints = read(
      R"({"update": 4, "epoch": 1, "loss": null, "dev_perplexity": 9.5})"
      "\n"
      R"({"update": 8, "epoch": 2, "loss": 3, "tokens_per_second": 1e3, "dev_bleu": 20, "dev_al": 2})"
      "\n");
  ASSERT_EQ(checkpoints.size(), 2U);
  EXPECT_EQ(checkpoints[0].loss, std::nullopt) << "not finite";
  EXPECT_EQ(checkpoints[0].dev_perplexity, 9.5);
  EXPECT_EQ(checkpoints[0].dev_bleu, std::nullopt);
  EXPECT_EQ(checkpoints[1].update, 8);
  EXPECT_EQ(checkpoints[1].tokens_per_second, 1000);
  EXPECT_EQ(checkpoints[1].dev_al, 2);
}

TEST_F(TrainingLog, ContinuesWhereATrainingWasResumed) {
  const auto checkpoints = read(
      "{\"update\": 4, \"epoch\": 1}\n{\"update\": 8, \"epoch\": 1, \"loss\": 9}\n"
      "{\"update\": 12, \"epoch\": 2}\n{\"update\": 8, \"epoch\": 1, \"loss\": 7}\n");
  ASSERT_EQ(checkpoints.size(), 2U);
  EXPECT_EQ(checkpoints[1].update, 8);
  EXPECT_EQ(checkpoints[1].loss, 7);
}

TEST_F(TrainingLog, MayEndWithinALine) {
  EXPECT_EQ(read("{\"update\": 4, \"epoch\": 1}\n{\"update\": 8, \"ep").size(), 1U);
}

TEST_F(TrainingLog, IsRefusedWithItsLine) {
  EXPECT_THAT(error("{\"update\": 4, \"epoch\": 1}\nloss 3\n"), HasSubstr("log.jsonl:2: the line"));
  EXPECT_THAT(error("{\"epoch\": 1}\n"), HasSubstr("log.jsonl:1: the line is not a checkpoint"));
  EXPECT_THAT(error(""), HasSubstr("the training has written no checkpoint yet"));
}

}  // namespace
}  // namespace surtitle
