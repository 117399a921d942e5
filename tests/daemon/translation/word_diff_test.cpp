#include "daemon/translation/word_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;
using WordViews = std::vector<std::string_view>;

TEST(WordChanges, AreNoneIfTheHypothesisContinues) {
  const WordComparison same = compare_words({"a", "b"}, {"a", "b", "c"});
  EXPECT_THAT(same.changes, IsEmpty());
  EXPECT_EQ(same.covered, 2U);
  EXPECT_EQ(compare_words({}, {"a"}).covered, 0U);
}

TEST(WordChanges, FindReplacedRemovedAndInsertedWords) {
  const WordComparison replaced = compare_words({"a", "b", "c"}, {"a", "x", "c", "d"});
  EXPECT_THAT(replaced.changes, ElementsAre(WordChange{1, 1, 1, 1}));
  EXPECT_EQ(replaced.covered, 3U);
  const WordComparison removed = compare_words({"a", "b", "c", "d"}, {"a", "c", "d", "e"});
  EXPECT_THAT(removed.changes, ElementsAre(WordChange{1, 1, 1, 0}));
  EXPECT_EQ(removed.covered, 3U);
  const WordComparison inserted = compare_words({"a", "b", "c"}, {"a", "x", "b", "c", "d"});
  EXPECT_THAT(inserted.changes, ElementsAre(WordChange{1, 1, 1, 2}));
  EXPECT_EQ(inserted.covered, 4U);
}

TEST(WordChanges, PreferAnInsertionToRepeatingTheLastWord) {
  const WordComparison comparison = compare_words({"a", "b"}, {"a", "x", "b", "c"});
  EXPECT_THAT(comparison.changes, ElementsAre(WordChange{1, 1, 1, 2}));
  EXPECT_EQ(comparison.covered, 3U);
}

TEST(WordChanges, MergeAdjacentChanges) {
  const WordComparison comparison = compare_words({"a", "b", "c", "d"}, {"x", "y", "c", "z"});
  EXPECT_THAT(comparison.changes, ElementsAre(WordChange{0, 2, 0, 2}, WordChange{3, 1, 3, 1}));
}

TEST(WordChanges, TreatAnEmptyHypothesisAsRemovalOfAllWords) {
  const Words standing(40, "a");
  const WordComparison comparison = compare_words(standing, {});
  EXPECT_THAT(comparison.changes, ElementsAre(WordChange{0, 40, 0, 0}));
  EXPECT_EQ(comparison.covered, 0U);
}

// Every difference is within a change, and words between changes are equal.
TEST(WordChanges, CoverEveryDifference) {
  std::mt19937 random(5);
  const Words letters{"a", "b", "c"};
  for (int round = 0; round < 3000; ++round) {
    Words standing(random() % 40);
    WordViews hypothesis(random() % 40);
    for (std::string& word : standing) {
      word = letters[random() % 3];
    }
    for (std::string_view& word : hypothesis) {
      word = letters[random() % 3];
    }
    const WordComparison comparison = compare_words(standing, hypothesis);
    ASSERT_LE(comparison.covered, hypothesis.size());
    std::size_t at = 0;
    std::size_t hypothesis_at = 0;
    for (const WordChange& change : comparison.changes) {
      ASSERT_GE(change.count, 1U);
      ASSERT_EQ(change.first - at, change.hypothesis_first - hypothesis_at);
      for (; at < change.first; ++at, ++hypothesis_at) {
        ASSERT_EQ(standing[at], hypothesis[hypothesis_at]);
      }
      at += change.count;
      hypothesis_at += change.hypothesis_count;
    }
    ASSERT_EQ(standing.size() - at, comparison.covered - hypothesis_at);
    for (; at < standing.size(); ++at, ++hypothesis_at) {
      ASSERT_EQ(standing[at], hypothesis[hypothesis_at]);
    }
  }
}

}  // namespace
}  // namespace surtitle
