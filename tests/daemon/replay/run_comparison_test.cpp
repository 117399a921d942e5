#include "daemon/replay/run_comparison.h"

#include <gmock/gmock.h>

#include "daemon/replay/run_recorder.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

RecordedSentence sentence(const std::string& source, const std::string& target,
                          std::vector<double> delays) {
  RecordedSentence made;
  made.source = source;
  made.target = target;
  made.delays = std::move(delays);
  return made;
}

RecordedRun run(std::vector<RecordedSentence> sentences) {
  return {"run", "model", "gma:delta=1", std::move(sentences)};
}

TEST(RunRecorder, RecordsWhenEachWordWasComplete) {
  RunRecorder recorder;
  recorder.sent(2, 10);
  recorder.sent(2, 20);
  recorder.write({0, 0, "Good", 2, 1, 0}, 12);
  recorder.write({0, 1, " mor", 3, 2, 0}, 15);
  recorder.write({0, 2, "ning", 3, 3, 0}, 25);
  recorder.write({0, 3, " all.", 9, 3, 0}, 26);
  recorder.complete({0, "Guten Morgen alle", "Good morning all.", {}, {}}, {});
  ASSERT_EQ(recorder.sentences().size(), 1U);
  const RecordedSentence& made = recorder.sentences().front();
  EXPECT_THAT(made.source_times, ElementsAre(10, 10, 20));
  EXPECT_THAT(made.delays, ElementsAre(1, 3, 3));
  EXPECT_THAT(made.written, ElementsAre(12, 25, 26));
  EXPECT_THAT(made.due, ElementsAre(12, 25, 26)) << "without delays";
}

TEST(RunRecorder, RecordsWhenEachWordWasDue) {
  RunRecorder recorder;
  recorder.sent(2, 10);
  for (const char* text : {"Good", " mor", "ning"}) {
    recorder.write({0, 0, text, 2, 1, 0}, 50);
  }
  recorder.complete({0, "Guten Morgen", "Good morning", {}, {}}, std::vector<float>{40, 30, 20});
  recorder.sent(1, 60);
  recorder.write({1, 0, "all.", 1, 1, 0}, 65);
  recorder.complete({1, "alle", "all.", {}, {}}, std::vector<float>{5});
  EXPECT_THAT(recorder.sentences()[0].due, ElementsAre(10, 30)) << "by the last write of each word";
  EXPECT_THAT(recorder.sentences()[1].due, ElementsAre(60));
}

TEST(RecordedRun, HasTheScoresOfItsDelays) {
  const LatencyScores scores = word_scores(sentence("a b c d", "x y z w", {1, 2, 4, 4}));
  EXPECT_EQ(scores.al, latency(std::vector<double>{1, 2, 4, 4}, 4).al);
  RecordedRun judged = run({sentence("a b", "x", {2})});
  set_references(judged, std::vector<std::string>{"one two three"});
  EXPECT_EQ(word_scores(judged).ap, 2.0 / (2 * 3));
  EXPECT_EQ(join(std::vector{judged.sentences[0], judged.sentences[0]}).reference,
            "one two three one two three");
}

TEST(RecordedRun, AlignsRunsWithDifferentEndsOfSentences) {
  const RecordedRun a =
      run({sentence("a b.", "x", {2}), sentence("c d", "y z", {1, 2}), sentence("e", "w", {1})});
  const RecordedRun b = run({sentence("a b. c d", "x y z", {2, 3, 4}), sentence("e", "w", {1})});
  const std::array<const RecordedRun*, 2> both{&a, &b};
  const std::vector<RunRow> rows = align(both);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][0].source, "a b. c d");
  EXPECT_EQ(rows[0][0].target, "x y z");
  EXPECT_THAT(rows[0][0].delays, ElementsAre(2, 3, 4));
  EXPECT_EQ(rows[1][1].target, "w");
}

TEST(RecordedRun, AlignsTheRestOfALongerRun) {
  const RecordedRun a = run({sentence("a", "x", {1})});
  const RecordedRun b = run({sentence("a", "x", {1}), sentence("b", "y", {1})});
  const std::array<const RecordedRun*, 2> both{&a, &b};
  const std::vector<RunRow> rows = align(both);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1][0].source, "");
  EXPECT_EQ(rows[1][1].source, "b");
}

TEST(RecordedRun, JoinsSentencesToGivenLengths) {
  RecordedRun made = run({sentence("a.", "x", {1}), sentence("b c", "y", {2})});
  const std::vector<int> wrong{2, 1};
  join_to(made, wrong);
  EXPECT_EQ(made.sentences.size(), 2U) << "unchanged if that is impossible";
  const std::vector<int> words{0, 3};
  join_to(made, words);
  ASSERT_EQ(made.sentences.size(), 2U);
  EXPECT_EQ(made.sentences[0].source, "");
  EXPECT_EQ(made.sentences[1].source, "a. b c");
  EXPECT_THAT(made.sentences[1].delays, ElementsAre(1, 3));
}

TEST(RecordedRun, BecomesALogOfSimulEval) {
  const std::vector<std::string> references{"one two"};
  const std::vector<Instance> log = to_instances(run({sentence("a b", "x", {2})}), references);
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(to_instance_log_line(log.front()),
            R"({"index": 0, "prediction": "x", "delays": [2], "elapsed": [0], )"
            R"("prediction_length": 1, "reference": "one two", "source": "a b", )"
            R"("source_length": 2})");
}

TEST(RunComparison, FindsNoDifferencesOfEqualRuns) {
  const RecordedRun a = run({sentence("a b", "x y", {1, 2}), sentence("c", "z", {1})});
  const RunComparison comparison = compare(a, a);
  EXPECT_TRUE(comparison.same_words());
  EXPECT_THAT(comparison.differences, IsEmpty());
  EXPECT_THAT(to_table(comparison), HasSubstr("The words are the same in all of 2 sentences.\n"));
  EXPECT_THAT(to_json(comparison),
              HasSubstr(R"("sentences":2,"same_words":true,"differences":[])"));
}

TEST(RunComparison, SeparatesOtherWordsFromOtherTimes) {
  const RecordedRun a =
      run({sentence("a b", "x y", {1, 2}), sentence("c d", "z", {1}), sentence("e", "w", {1})});
  const RecordedRun b =
      run({sentence("a b", "x q", {1, 2}), sentence("c d", "z", {2}), sentence("f", "w", {1})});
  const RunComparison comparison = compare(a, b);
  EXPECT_FALSE(comparison.same_words());
  EXPECT_EQ(comparison.count(&SentenceDifference::words), 1U);
  EXPECT_EQ(comparison.count(&SentenceDifference::actions), 1U);
  EXPECT_EQ(comparison.count(&SentenceDifference::source), 1U);
  const std::string table = to_table(comparison);
  EXPECT_THAT(table, HasSubstr("The words differ in 1 of 3 sentences. In 1, the same words were "
                               "written after different source words. In 1, the source words "
                               "differ.\n"));
  EXPECT_THAT(table, HasSubstr("\nsentence 0: a b\n  A  x y   AL"));
  EXPECT_THAT(to_json(comparison),
              HasSubstr(R"({"sentence":0,"source":"a b","other_source":false,"other_words":true,)"
                        R"("other_actions":false,"a":{"target":"x y","delays":[1,2],)"));
}

TEST(RunComparison, ShowsTheFirstOfManyDifferences) {
  std::vector<RecordedSentence> many(30, sentence("a", "x", {1}));
  const RecordedRun a = run(many);
  for (RecordedSentence& one : many) {
    one.target = "y";
  }
  const RecordedRun b = run(many);
  const std::string table = to_table(compare(a, b));
  EXPECT_THAT(table, HasSubstr("\nsentence 19: "));
  EXPECT_THAT(table, Not(HasSubstr("\nsentence 20: ")));
  EXPECT_THAT(table, HasSubstr("... and 10 more"));
}

TEST(RunComparison, ListsEachRunOnOneLine) {
  const std::vector<RecordedRun> runs{run({sentence("a b", "x y", {1, 2})})};
  EXPECT_THAT(to_table(runs), HasSubstr("run, model, gma:delta=1          1     1.000     1.000"));
  EXPECT_THAT(to_json(runs.front()),
              StartsWith(R"({"name":"run","model":"model","policy":"gma:delta=1","sentences":1,)"
                         R"("al":1,)"));
}

}  // namespace
}  // namespace surtitle
