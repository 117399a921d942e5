#include "daemon/translation/hypothesis_commit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Revision = HypothesisCommit::Revision;

std::vector<std::string> committed(HypothesisCommit& commit, std::string_view text, bool final) {
  return commit.update(text, final).words;
}

std::vector<Revision> revised(HypothesisCommit& commit, std::string_view text, bool final) {
  return commit.update(text, final).revisions;
}

TEST(HypothesisCommit, CommitsWhatTwoHypothesesAgreeOn) {
  HypothesisCommit commit(2);
  EXPECT_THAT(committed(commit, "guten", false), IsEmpty());
  EXPECT_THAT(committed(commit, "guten mor", false), ElementsAre("guten"));
  EXPECT_THAT(committed(commit, "guten morgen meine", false), IsEmpty());
  EXPECT_THAT(committed(commit, "guten morgen meine damen", false), ElementsAre("morgen", "meine"));
  EXPECT_THAT(committed(commit, "guten morgen meine damen", true), ElementsAre("damen"));
  EXPECT_EQ(commit.revisions(), 0);
}

TEST(HypothesisCommit, CommitsAllButTheLastWordIfOneHypothesisIsEnough) {
  HypothesisCommit commit(1);
  EXPECT_THAT(committed(commit, "guten mor", false), ElementsAre("guten"));
  EXPECT_THAT(committed(commit, "guten morgen meine", false), ElementsAre("morgen"));
  EXPECT_THAT(commit.finish(), ElementsAre("meine"));
}

TEST(HypothesisCommit, WaitsForThreeThatAgreeInARow) {
  HypothesisCommit commit(3);
  EXPECT_THAT(committed(commit, "a b c", false), IsEmpty());
  EXPECT_THAT(committed(commit, "a b c", false), IsEmpty());
  EXPECT_THAT(committed(commit, "a x c", false), ElementsAre("a"));
  EXPECT_THAT(committed(commit, "a b c", false), IsEmpty());
  EXPECT_THAT(committed(commit, "a b c", false), IsEmpty());
  EXPECT_THAT(committed(commit, "a b c", false), ElementsAre("b"));
}

TEST(HypothesisCommit, KeepsTheSpacesThatDividePhrases) {
  HypothesisCommit commit(1);
  EXPECT_THAT(commit.update("ดี กีดี", false).read, ElementsAre("ดี", " กี"));
  const auto end = commit.update("ดี กี ดี", true);
  EXPECT_THAT(end.read, ElementsAre(" ดี"));
  EXPECT_THAT(end.words, ElementsAre("ดี"));
  // A window of the last words.
  EXPECT_THAT(commit.update("a b c d e f", false).read, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(commit.update("d e f ดี กี", false).read, ElementsAre("f", " ดี"));
}

TEST(HypothesisCommit, NeverCommitsTheLastWordBeforeTheEnd) {
  HypothesisCommit commit(2);
  EXPECT_THAT(committed(commit, "guten mor", false), IsEmpty());
  EXPECT_THAT(committed(commit, "guten mor", false), ElementsAre("guten"));
  EXPECT_THAT(committed(commit, "guten mor", false), IsEmpty());
}

TEST(HypothesisCommit, FinalHypothesisStartsAgain) {
  HypothesisCommit commit(2);
  EXPECT_THAT(committed(commit, "eins zwei", true), ElementsAre("eins", "zwei"));
  EXPECT_THAT(committed(commit, "eins zwei", false), IsEmpty());
  EXPECT_THAT(committed(commit, "", true), IsEmpty());
  EXPECT_THAT(committed(commit, "eins", true), ElementsAre("eins"));
}

TEST(HypothesisCommit, ReportsARevisionOnceAndKeepsWhatItCommitted) {
  HypothesisCommit commit(2);
  commit.update("das ist gut", false);
  EXPECT_THAT(committed(commit, "das ist gut so", false), ElementsAre("das", "ist", "gut"));
  EXPECT_THAT(revised(commit, "dass ist gut so", false), ElementsAre(Revision{0, "das", "dass"}));
  EXPECT_THAT(revised(commit, "dass ist gut so ja", false), IsEmpty());
  EXPECT_EQ(commit.revisions(), 1);
  // "so" is committed by now.
  EXPECT_THAT(revised(commit, "dass", true), ElementsAre(Revision{0, "das ist gut so", "dass"}));
  EXPECT_EQ(commit.revisions(), 4);
}

TEST(HypothesisCommit, LosesNoWordIfTheRecogniserRemovesOne) {
  HypothesisCommit commit(1);
  EXPECT_THAT(committed(commit, "das ist ja gut so", false),
              ElementsAre("das", "ist", "ja", "gut"));
  const HypothesisCommit::Update update = commit.update("das ist gut so viel wert", false);
  EXPECT_THAT(update.revisions, ElementsAre(Revision{2, "ja", ""}));
  EXPECT_THAT(update.words, ElementsAre("so", "viel"));
}

TEST(HypothesisCommit, RepeatsNoWordIfTheRecogniserInsertsOne) {
  HypothesisCommit commit(1);
  EXPECT_THAT(committed(commit, "das ist gut so", false), ElementsAre("das", "ist", "gut"));
  const HypothesisCommit::Update update = commit.update("das hier ist gut so viel", false);
  EXPECT_THAT(update.revisions, ElementsAre(Revision{1, "ist", "hier ist"}));
  EXPECT_THAT(update.words, ElementsAre("so"));
  EXPECT_THAT(commit.finish(), ElementsAre("viel"));
}

TEST(HypothesisCommit, CommitsWordsThatTheWindowLeaves) {
  HypothesisCommit commit(3);
  EXPECT_THAT(committed(commit, "a b c d e f g h i j k", false), IsEmpty());
  EXPECT_THAT(committed(commit, "c d e f g h i j k l", false), ElementsAre("a", "b"));
  EXPECT_THAT(committed(commit, "x e f g h i j k l m", false), ElementsAre("c"))
      << "the first word of a window may be garbled";
  EXPECT_THAT(committed(commit, "d e f g h i j k l m n", true),
              ElementsAre("d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"));
  EXPECT_EQ(commit.revisions(), 0);
}

TEST(HypothesisCommit, ShorterHypothesisIsARevisionOnlyIfItIsFinal) {
  HypothesisCommit commit(1);
  EXPECT_THAT(committed(commit, "a b c d", false), ElementsAre("a", "b", "c"));
  EXPECT_THAT(revised(commit, "a", false), IsEmpty());
  EXPECT_THAT(revised(commit, "", false), IsEmpty());
  EXPECT_THAT(committed(commit, "a b c d e", false), ElementsAre("d"));
  EXPECT_THAT(revised(commit, "a b", true), ElementsAre(Revision{2, "c d", ""}));
}

class AnyAgreement : public ::testing::TestWithParam<int> {
 protected:
  // Returns a hypothesis of this length, in which one word of `rarity` is changed at random.
  std::vector<std::string> hypothesis(int length, unsigned int rarity) {
    std::vector<std::string> words;
    for (int i = 0; i < length; ++i) {
      words.push_back((random_() % rarity == 0 ? "x" : "w") + std::to_string(i));
    }
    return words;
  }

  static std::string text_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      text += word + " ";
    }
    return text;
  }

  std::mt19937 random_{3};
};

// The definition: the common beginning of as many hypotheses in a row, each without its last word,
// is committed, and nothing else.
TEST_P(AnyAgreement, CommitsExactlyTheCommonBeginning) {
  const auto agreement = static_cast<std::size_t>(GetParam());
  for (int round = 0; round < 300; ++round) {
    HypothesisCommit commit(GetParam());
    std::vector<std::vector<std::string>> all;
    std::vector<std::string> all_words;
    for (int step = 1; step <= 12 && commit.revisions() == 0; ++step) {
      all.push_back(hypothesis(step, 30));
      const HypothesisCommit::Update update = commit.update(text_of(all.back()), false);
      std::size_t stable = all.size() < agreement ? 0 : all.back().size() - 1;
      for (std::size_t i = 1; i < agreement && i < all.size(); ++i) {
        const std::vector<std::string>& earlier = all[all.size() - 1 - i];
        const auto differ =
            std::mismatch(all.back().begin(), all.back().end(), earlier.begin(), earlier.end());
        stable = std::min(stable, static_cast<std::size_t>(differ.first - all.back().begin()));
      }
      const std::size_t before = all_words.size();
      all_words.insert(all_words.end(), update.words.begin(), update.words.end());
      if (update.revisions.empty()) {
        ASSERT_EQ(all_words.size(), std::max(before, stable));
        ASSERT_TRUE(std::equal(all_words.begin(), all_words.end(), all.back().begin()));
      }
    }
  }
}

// Committed words are only appended. If words were only replaced, they are as many as those of the
// final hypothesis. Every difference from it was reported.
TEST_P(AnyAgreement, ReportsEveryDifferenceOfTheFinalHypothesis) {
  for (int round = 0; round < 500; ++round) {
    HypothesisCommit commit(GetParam());
    std::vector<std::string> all_words;
    std::vector<std::string> last;
    for (int step = 1; step <= 12; ++step) {
      last = hypothesis(step, 8);
      for (std::string& word : commit.update(text_of(last), step == 12).words) {
        all_words.push_back(std::move(word));
      }
    }
    ASSERT_EQ(all_words.size(), last.size());
    int differences = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
      differences += all_words[i] != last[i] ? 1 : 0;
    }
    EXPECT_LE(differences, commit.revisions());
  }
}

// Words change at any position. If a later hypothesis begins with all committed words, the next
// word is committed after them.
TEST_P(AnyAgreement, ContinuesAfterItsCommittedWordsWhateverTheHypotheses) {
  for (int round = 0; round < 500; ++round) {
    HypothesisCommit commit(GetParam());
    std::vector<std::string> all_words;
    for (int step = 0; step < 20; ++step) {
      std::string text;
      for (unsigned int length = random_() % 30; length > 0; --length) {
        text += std::string(1, static_cast<char>('a' + random_() % 4)) + " ";
      }
      for (std::string& word : commit.update(text, false).words) {
        all_words.push_back(std::move(word));
      }
    }
    const std::string again = text_of(all_words) + "neu";
    EXPECT_THAT(commit.update(again, true).words, ElementsAre("neu"));
  }
}

INSTANTIATE_TEST_SUITE_P(HypothesisCommit, AnyAgreement, ::testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace surtitle
