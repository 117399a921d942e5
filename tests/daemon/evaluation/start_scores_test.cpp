// The measurement of sentence starts: runs of spoken text, a model's probabilities, their scores.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "daemon/evaluation/sentence_starts.h"
#include "tests/daemon/support/scripted_translator.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;

TEST(SpokenRuns, LinesAndStopsBeginSentences) {
  const std::vector<std::string> lines{"Er rief: \"Ja! Komm.\" Gut", "Am 3. Mai, z. B.", "Dann",
                                       "Nein."};
  const std::vector<SpokenRun> runs = spoken_runs(lines, "de");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_THAT(runs[0], ElementsAre(SpokenWord{"er", true}, SpokenWord{"rief"}, SpokenWord{"ja"},
                                   SpokenWord{"komm", true}, SpokenWord{"gut", true},
                                   SpokenWord{"am", true}, SpokenWord{"3"}, SpokenWord{"mai"},
                                   SpokenWord{"z"}, SpokenWord{"b"}, SpokenWord{"dann", true}));
  EXPECT_THAT(runs[1], ElementsAre(SpokenWord{"nein", true}));
}

TEST(StartScores, AreThoseOfTheWordsAboveTheThreshold) {
  const std::vector<WatchedWord> words{{0.9F, true}, {0.8F, false}, {0.4F, true}, {0.1F, false}};
  const StartScores half = score_starts(words, 0.5);
  EXPECT_DOUBLE_EQ(half.precision, 0.5);
  EXPECT_DOUBLE_EQ(half.recall, 0.5);
  EXPECT_DOUBLE_EQ(half.f1, 0.5);
  const StartScores best = best_scores(words);
  EXPECT_NEAR(best.threshold, 0.1, 0.011);
  EXPECT_DOUBLE_EQ(best.recall, 1);
  EXPECT_DOUBLE_EQ(best.f1, 0.8);
}

TEST(StartScores, AreZeroWithoutWords) {
  EXPECT_EQ(score_starts({}, 0.5).precision, 0);
  EXPECT_EQ(best_scores({}).f1, 0);
}

TEST(WatchRuns, AsksTheModelForAllWordsButTheFirst) {
  const auto tokenizer = std::make_shared<ScriptedTokenizer>();
  ScriptedOptions options;
  options.max_sentences = 2;
  options.max_source_tokens = 4;
  options.start = [](std::span<const int> tokens) {
    return static_cast<float>(tokens.size()) / 10;
  };
  ScriptedTranslator translator(tokenizer, options);
  const std::vector<SpokenRun> runs{{{"eins", true}, {"zwei"}, {"xx-silent"}, {"dreizehn", true}},
                                    {{"ja", true}, {"nein", true}},
                                    {{"a", true}, {"b"}, {"c"}, {"d"}, {"beyond the limit"}},
                                    {}};
  std::vector<std::pair<float, bool>> found;
  for (const WatchedWord& word : watch_runs(translator, *tokenizer, runs)) {
    found.emplace_back(word.probability, word.starts);
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre(std::pair(0.2F, false), std::pair(0.4F, true),
                                                   std::pair(0.2F, true), std::pair(0.2F, false),
                                                   std::pair(0.3F, false), std::pair(0.4F, false)));
}

}  // namespace
}  // namespace surtitle
