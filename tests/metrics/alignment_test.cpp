#include "metrics/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Link = AlignmentLink;

// The example of Och & Ney's definition, counted by hand: A and S share 2 links, A and P share 3.
TEST(AlignmentScore, IsThatOfTheDefinition) {
  const std::vector<Alignment> found = {{{0, 0}, {1, 2}}, {{0, 0}, {2, 1}}};
  const std::vector<GoldAlignment> gold = {{{{0, 0}, {1, 1}}, {{0, 0}, {1, 1}, {1, 2}}},
                                           {{{0, 0}}, {{0, 0}}}};
  const AlignmentScores scores = score_alignments(found, gold);
  EXPECT_DOUBLE_EQ(scores.precision.value(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(scores.recall.value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.aer.value(), 1 - 5.0 / 7);
}

TEST(AlignmentScore, IsZeroErrorForGoldItself) {
  const std::vector<Alignment> found = {{{0, 1}, {1, 0}}};
  const AlignmentScores scores =
      score_alignments(found, std::vector<GoldAlignment>{{found[0], found[0]}});
  EXPECT_EQ(scores.aer, 0);
  EXPECT_EQ(scores.precision, 1);
  EXPECT_EQ(scores.recall, 1);
}

TEST(AlignmentScore, IsNoneWhereThereIsNothingToDivideBy) {
  const AlignmentScores none =
      score_alignments(std::vector<Alignment>(2), std::vector<GoldAlignment>(2));
  EXPECT_FALSE(none.aer || none.precision || none.recall);
  const AlignmentScores nothing_found =
      score_alignments(std::vector<Alignment>(1), std::vector<GoldAlignment>{{{{0, 0}}, {{0, 0}}}});
  EXPECT_EQ(nothing_found.aer, 1);
  EXPECT_EQ(nothing_found.recall, 0);
  EXPECT_FALSE(nothing_found.precision);
  EXPECT_THROW(score_alignments(std::vector<Alignment>(1), {}), std::invalid_argument);
}

TEST(ShareRead, CountsLinksWhoseSourceWordHadBeenRead) {
  const std::vector<GoldAlignment> gold = {{{{0, 0}}, {{0, 0}, {2, 1}}}, {{{1, 0}}, {{1, 0}}}};
  EXPECT_DOUBLE_EQ(share_read(gold, std::vector<std::vector<int>>{{1, 2}, {2}}).value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(share_read(gold, std::vector<std::vector<int>>{{1}, {2}}).value(), 1);
  EXPECT_FALSE(share_read({}, {}));
}

TEST(StrongestLinks, SumsOverTheTokensOfWords) {
  // Source: "a" of one token, "b" of two, an end of sentence. Target: "x" of two tokens, "y", end.
  const std::vector<int> source = {0, 1, 1, -1};
  const std::vector<int> target = {0, 0, 1, -1};
  const std::vector<float> attention = {0.40F, 0.25F, 0.25F, 0.10F,   //
                                        0.35F, 0.30F, 0.30F, 0.05F,   //
                                        0.20F, 0.05F, 0.05F, 0.70F,   //
                                        0.00F, 1.00F, 0.00F, 0.00F};  //
  EXPECT_THAT(strongest_links(attention, source, target), ElementsAre(Link{0, 1}, Link{1, 0}));
}

TEST(StrongestLinks, TakesTheFirstOfEqualsAndLeavesOutWordsWithoutTokens) {
  EXPECT_THAT(
      strongest_links(std::vector<float>{0.5F, 0.5F}, std::vector<int>{0, 1}, std::vector<int>{2}),
      ElementsAre(Link{0, 2}));
  EXPECT_THAT(strongest_links(std::vector<float>{1.0F}, std::vector<int>{-1}, std::vector<int>{0}),
              IsEmpty());
  EXPECT_THAT(strongest_links({}, {}, {}), IsEmpty());
}

TEST(Entropy, IsTheLogarithmOfTheChoicesWhereAllAreEquallyLikely) {
  EXPECT_NEAR(entropy(std::vector<float>(8, 0.125F)), std::log(8.0), 1e-12);
  EXPECT_EQ(entropy(std::vector<float>{0, 1, 0}), 0);
}

TEST(Pharaoh, HasLinksFromSourceToTarget) {
  EXPECT_EQ(to_pharaoh({{0, 0}, {1, 12}, {3, 2}}), "0-0 1-12 3-2");
  EXPECT_EQ(to_pharaoh({}), "");
}

class GoldFile : public testing::Test {
 protected:
  static std::vector<GoldAlignment> read(const std::string& text) {
    std::istringstream in(text);
    return read_gold_alignments(in, "gold", 2);
  }
  static std::string error(const std::string& text) {
    try {
      read(text);
    } catch (const std::runtime_error& problem) {
      return problem.what();
    }
    return "accepted";
  }
};

TEST_F(GoldFile, CountsSentencesFromOneAndWordsFromZero) {
  const auto gold = read("1 2 1 P\n1 0 0 S \n\n2 1 1\n1 0 0 S\n");
  ASSERT_EQ(gold.size(), 2U);
  EXPECT_THAT(gold[0].sure, ElementsAre(Link{0, 0}));
  EXPECT_THAT(gold[0].possible, ElementsAre(Link{0, 0}, Link{2, 1}));
  EXPECT_THAT(gold[1].sure, ElementsAre(Link{1, 1}));
}

TEST_F(GoldFile, CountsSentencesFromZeroWhereThereIsASentenceZero) {
  const auto gold = read("0 2 1 S\n1 0 1 S\n");
  EXPECT_THAT(gold[0].sure, ElementsAre(Link{2, 1}));
  EXPECT_THAT(gold[1].sure, ElementsAre(Link{0, 1}));
}

TEST_F(GoldFile, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(error("1 0 0 S\n1 0\n"),
            "gold:2: found 2 fields; a line must be SENTENCE SOURCE TARGET, then S, P or nothing, "
            "which is S");
  EXPECT_EQ(error("1 0 0 X\n"), "gold:1: a link must be S (sure) or P (possible)");
  EXPECT_EQ(error("1 0 -1 S\n"), "gold:1: the target word must be a whole number of at least 0");
  EXPECT_EQ(error("1 0 1x S\n"), "gold:1: the target word must be a whole number of at least 0");
  EXPECT_EQ(error("3 0 0 S\n"), "gold:1: sentence 3, counted from 1, of a text of 2");
  EXPECT_EQ(error("0 0 0 S\n2 0 0 S\n"), "gold:2: sentence 2, counted from 0, of a text of 2");
  EXPECT_THROW(read_gold_alignments(std::filesystem::path("/no/such"), 2), std::runtime_error);
}

}  // namespace
}  // namespace surtitle
