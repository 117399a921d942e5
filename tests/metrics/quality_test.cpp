#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace surtitle {
namespace {

using Lines = std::vector<std::string>;

TEST(Bleu, RefusesListsOfDifferentLength) {
  EXPECT_THROW(corpus_bleu(Lines{"a", "b"}, Lines{"a"}), std::invalid_argument);
}

TEST(Bleu, OfNothingIsZero) { EXPECT_EQ(corpus_bleu(Lines{}, Lines{}).score, 0); }

TEST(Bleu, IsOfTheCorpusAndNotAMeanOfLines) {
  const Lines references = {"one two three four five", "six seven eight nine ten"};
  const Lines hypotheses = {"one two three four five", "nothing like it at all"};
  const double whole = corpus_bleu(hypotheses, references).score;
  EXPECT_NEAR(whole, 50.0, 1e-9);  // half of all n-grams of each order match
}

TEST(Bleu, DoesNotDependOnTheOrderOfLines) {
  const Lines references = {"the cat sat on the mat .", "he went home early today ."};
  const Lines hypotheses = {"the cat sat on a mat .", "he went home late today ."};
  EXPECT_DOUBLE_EQ(
      corpus_bleu(hypotheses, references).score,
      corpus_bleu(Lines{hypotheses[1], hypotheses[0]}, Lines{references[1], references[0]}).score);
}

TEST(Bleu, ResampledIsThatOfTheSameSentencesForEverySystem) {
  const Lines references = {"the cat sat on the mat .", "he went home early today .", "so it is ."};
  const Lines hypotheses = {"the cat sat on a mat .", "he went home late today .", "so was it ."};
  const std::vector<double> ours = resampled_bleu(hypotheses, references, 200);
  EXPECT_EQ(ours, resampled_bleu(hypotheses, references, 200));
  EXPECT_NE(ours, std::vector<double>(200, ours.front()));
  // The draws are the same: if a system is better in each sentence, it is so in each resample.
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LT(ours[i], resampled_bleu(references, references, 200)[i]);
  }
  const Interval interval = middle_95_percent(ours);
  const double whole = corpus_bleu(hypotheses, references).score;
  EXPECT_LT(interval.low, whole);
  EXPECT_GT(interval.high, whole);
}

TEST(Bleu, TheMiddleOfScoresLeavesOutAFortiethAtEachEnd) {
  std::vector<double> scores(200);
  std::iota(scores.rbegin(), scores.rend(), 1);
  EXPECT_EQ(middle_95_percent(scores).low, 6);
  EXPECT_EQ(middle_95_percent(scores).high, 195);
  EXPECT_EQ(middle_95_percent({3}).low, 3);
}

TEST(Bleu, BytesThatAreNotUtf8AreCountedAndDoNotCrash) {
  const Lines broken = {"a \xFF\xFE b \xC3 c \xE2\x82. d \xED\xA0\x80"};
  EXPECT_NEAR(corpus_bleu(broken, broken).score, 100, 1e-9);
  EXPECT_NEAR(corpus_chrf(broken, broken), 100, 1e-9);
}

TEST(Chrf, RefusesListsOfDifferentLength) {
  EXPECT_THROW(corpus_chrf(Lines{"a"}, Lines{}), std::invalid_argument);
}

TEST(Chrf, OfNothingIsZero) { EXPECT_EQ(corpus_chrf(Lines{}, Lines{}), 0); }

TEST(Chrf, DoesNotSeeWhiteSpace) {
  EXPECT_DOUBLE_EQ(corpus_chrf(Lines{"thecat  sat"}, Lines{"the cat\u00A0sat"}), 100);
}

TEST(Chrf, WeighsRecallAbovePrecision) {
  const Lines shorter = {"the cat"};
  const Lines longer = {"the cat sat on the mat"};
  EXPECT_GT(corpus_chrf(longer, shorter), corpus_chrf(shorter, longer));
}

}  // namespace
}  // namespace surtitle
