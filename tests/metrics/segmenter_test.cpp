#include "metrics/segmenter.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "metrics/text.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::vector<std::size_t> places(const std::vector<std::string>& references,
                                std::string_view translation) {
  std::vector<std::string> words;
  for (const std::string_view word : python_split(translation)) {
    words.emplace_back(word);
  }
  return segment_words(references, words);
}

TEST(Segmenter, PutsEachWordIntoTheSentenceOfTheWordMostLikeIt) {
  EXPECT_THAT(places({"the cat sat", "it was red"}, "THE cat it was red"),
              ElementsAre(0, 0, 1, 1, 1));
}

TEST(Segmenter, PutsWordsWithoutACounterpartToTheMoreSimilarNeighbour) {
  EXPECT_THAT(places({"abc", "xyz"}, "abc xy xyz"), ElementsAre(0, 1, 1));
  EXPECT_THAT(places({"abc", "xyz"}, "abc ab xyz"), ElementsAre(0, 0, 1));
}

TEST(Segmenter, AlignsPunctuationOnlyWithPunctuation) {
  EXPECT_THAT(places({"a ,", "b"}, "a , b"), ElementsAre(0, 0, 1));
  EXPECT_THAT(places({"( a"}, "so ( a"), ElementsAre(0, 0));  // "so" belongs to none
}

TEST(Segmenter, ComparesFoldedText) {
  EXPECT_EQ(folded("ÄB\uFB01…"), "äbfi...");
  EXPECT_EQ(folded("\xFFG"), "\uFFFDg");
  EXPECT_THAT(places({"\uFB01sch", "ganz"}, "FISCH ganz"), ElementsAre(0, 1));
}

TEST(Segmenter, MakesAnInstanceOfEachSentenceWithTimesOfItsOwn) {
  const std::vector<ReferenceSegment> segments{
      {0, 1000, "a b"}, {1000, 500, "nothing like it"}, {1500, 500, "c"}};
  const std::vector<Instance> instances =
      resegment(segments, {"talk", " a  b c ", {400, 900, 1400}, {500, 1000, 2100}}, 7);
  ASSERT_EQ(instances.size(), 3U);
  EXPECT_EQ(instances[0].prediction, "a b");
  EXPECT_EQ(instances[0].index, 7);
  EXPECT_EQ(instances[0].recording_end, 2000);
  EXPECT_THAT(instances[1].delays, IsEmpty());
  EXPECT_EQ(instances[1].prediction, "");
  EXPECT_THAT(instances[2].delays, ElementsAre(-100));
  EXPECT_THAT(instances[2].elapsed, ElementsAre(600));
  EXPECT_EQ(instances[2].recording_end, 500);
  EXPECT_EQ(instances[2].source_length, 500);
}

TEST(Segmenter, RefusesTimesThatDoNotFit) {
  const std::vector<ReferenceSegment> segments{{0, 1, "a"}};
  EXPECT_THAT(
      [&] {
        resegment(segments, {"talk", "a b", {1}, {}});
      },
      ThrowsMessage<std::invalid_argument>(
          "recording 'talk' has 2 words but 1 delays; each word must have one"));
  EXPECT_THAT(
      [&] {
        resegment(segments, {"talk", "a", {1}, {1, 2}});
      },
      ThrowsMessage<std::invalid_argument>(
          "recording 'talk' has 1 words but 2 elapsed times; each word must have one"));
  EXPECT_THROW(resegment(std::vector<ReferenceSegment>{{0, 1, " "}}, {"talk", "a", {1}, {}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace surtitle
