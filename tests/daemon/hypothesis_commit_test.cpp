#include "daemon/hypothesis_commit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "model/tokenizer.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HypothesisCommit, CommitsWhatTwoHypothesesAgreeOn) {
  HypothesisCommit commit;
  EXPECT_THAT(commit.update("guten", false), IsEmpty());
  EXPECT_THAT(commit.update("guten mor", false), ElementsAre("guten"));
  EXPECT_THAT(commit.update("guten morgen meine", false), IsEmpty());
  EXPECT_THAT(commit.update("guten morgen meine damen", false), ElementsAre("morgen", "meine"));
  EXPECT_THAT(commit.update("guten morgen meine damen", true), ElementsAre("damen"));
  EXPECT_EQ(commit.revisions(), 0);
}

TEST(HypothesisCommit, NeverCommitsTheLastWordBeforeTheEnd) {
  HypothesisCommit commit;
  EXPECT_THAT(commit.update("guten mor", false), IsEmpty());
  EXPECT_THAT(commit.update("guten mor", false), ElementsAre("guten"));
  EXPECT_THAT(commit.update("guten mor", false), IsEmpty());
}

TEST(HypothesisCommit, AFinalOneStartsAfresh) {
  HypothesisCommit commit;
  EXPECT_THAT(commit.update("eins zwei", true), ElementsAre("eins", "zwei"));
  EXPECT_THAT(commit.update("eins zwei", false), IsEmpty());
  EXPECT_THAT(commit.update("", true), IsEmpty());
  EXPECT_THAT(commit.update("eins", true), ElementsAre("eins"));
}

TEST(HypothesisCommit, CountsARevisionOnceAndKeepsWhatItCommitted) {
  HypothesisCommit commit;
  commit.update("das ist gut", false);
  EXPECT_THAT(commit.update("das ist gut so", false), ElementsAre("das", "ist", "gut"));
  EXPECT_THAT(commit.update("dass ist gut so", false), IsEmpty());
  EXPECT_THAT(commit.update("dass ist gut so ja", false), ElementsAre("so"));
  EXPECT_EQ(commit.revisions(), 1);
  EXPECT_THAT(commit.update("dass", true), IsEmpty());
  EXPECT_EQ(commit.revisions(), 4);  // "ist", "gut" and "so" are gone too
}

// Whatever a recogniser does, what is committed of a segment is append-only, at most as long as
// the longest hypothesis, and equal to the final one where nothing was revised.
TEST(HypothesisCommit, IsAppendOnlyOverRandomHypotheses) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    HypothesisCommit commit;
    std::vector<std::string> committed;
    std::string text;
    for (int step = 0; step < 12; ++step) {
      text.clear();
      for (int word = 0; word <= step; ++word) {
        text += (random() % 8 == 0 ? "x" : "w") + std::to_string(word) + " ";
      }
      for (std::string& word : commit.update(text, step == 11)) {
        committed.push_back(std::move(word));
      }
    }
    const std::vector<std::string_view> last = split_words(text);
    ASSERT_EQ(committed.size(), last.size());
    int differences = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
      differences += committed[i] != last[i] ? 1 : 0;
    }
    EXPECT_LE(differences, commit.revisions());
  }
}

}  // namespace
}  // namespace surtitle
