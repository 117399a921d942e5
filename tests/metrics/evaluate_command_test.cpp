// `surtitle evaluate` on a real package and tokenizer, with a translator that copies its source.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <list>
#include <map>
#include <numeric>

#include "daemon/commands/evaluate.h"
#include "daemon/commands/score.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/sweep.h"
#include "model/package/package.h"
#include "tests/metrics/command_line.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(ScriptsWithoutSpaces, AreScoredByCharacters) {
  EXPECT_EQ(reference_length("今天，很好。"), 4);
  EXPECT_EQ(reference_length("Guten  Morgen."), 3);  // as SimulEval counts
  EXPECT_EQ(spaced_words("今天，OK 很好。"), "今 天， OK 很 好。");
  EXPECT_EQ(spaced_words("a  b "), "a  b ");
  EXPECT_EQ(spaced_characters("a b, c"), "a b, c");
  // By sacrebleu 2.6.0, -tok zh
  std::vector<OfflineTranslation> translations(2);
  translations[0].text = "今天天气很好，我们去公园。";
  translations[1].text = "他说 iPhone 15 很贵！";
  const std::vector<std::string> references{"今天的天气很好，我们去公园吧。",
                                            "她说iPhone 15太贵了！"};
  EXPECT_NEAR(score_translations(translations, references, EndOfSentence::kCounted).bleu.score,
              55.1654, 1e-4);
}

// Writes each source token back as soon as the policy allows it.
class CopyingTranslator final : public Translator {
 public:
  CopyingTranslator() {
    info_.name = "copy";
    info_.source_language = "de";
    info_.target_language = "en";
    info_.policies = {"wait-k"};
    info_.default_policy = "wait-k:k=1";
    info_.source_forms = {TextForm::kWritten};
    info_.max_source_tokens = 20;
    info_.max_sentences = 3;
  }

  const ModelInfo& info() const noexcept override { return info_; }

  std::optional<SentenceId> open(PolicyPtr policy) override {
    if (static_cast<int>(open_.size()) == info_.max_sentences) {
      return std::nullopt;
    }
    open_[++last_].policy = std::move(policy);
    return last_;
  }

  void read(SentenceId sentence, std::span<const int> tokens) override {
    auto& source = open_.at(sentence).source;
    source.insert(source.end(), tokens.begin(), tokens.end());
  }
  void finish(SentenceId sentence) override { open_.at(sentence).finished = true; }
  void force(SentenceId /*sentence*/, std::vector<int> /*tokens*/) override {}
  bool waits_for_source(SentenceId /*sentence*/) const override { return false; }
  void close(SentenceId sentence) override { open_.erase(sentence); }

  bool tick(std::vector<Write>& writes) override {
    bool moved = false;
    for (auto& [id, sentence] : open_) {
      const int index = sentence.written;
      const int length = static_cast<int>(sentence.source.size());
      const int wanted = sentence.policy->visible_source(index, index);
      const int read = std::min(wanted, length + 1);
      if (index > length || (!sentence.finished && (wanted > length || index == length))) {
        continue;
      }
      ++sentence.written;
      moved = true;
      if (index == length) {
        writes.push_back({.sentence = id, .read = read, .end = true});
      } else {
        const int token = sentence.source[static_cast<std::size_t>(index)];
        writes.push_back({.sentence = id, .token = token, .read = read});
      }
    }
    return moved;
  }

 private:
  struct Sentence {
    PolicyPtr policy;
    std::vector<int> source;
    int written = 0;
    bool finished = false;
  };
  ModelInfo info_;
  std::map<SentenceId, Sentence> open_;
  SentenceId last_ = 0;
};

class EvaluateCommand : public testing::Test {
 protected:
  EvaluateCommand() {
    description_.name = "copy";
    description_.source_language = "de";
    description_.target_language = "en";
    description_.architecture.d_model = 8;
    description_.architecture.heads = 2;
    description_.architecture.ffn = 8;
    description_.architecture.encoder_layers = 1;
    description_.architecture.decoder_layers = 1;
    description_.architecture.source_vocabulary = kVocabulary;
    description_.architecture.target_vocabulary = kVocabulary;
    description_.policies = {"wait-k"};
    description_.default_policy = "wait-k:k=1";
    write_model("model");
    const std::vector<std::string> lines = {"eins zwei drei vier", "zwei drei",
                                            "vier eins zwei eins", "drei zwei eins vier zwei"};
    train_tokenizer(lines, kVocabulary, folder_.path("model/sentencepiece.model"));
  }

  // A package of zeros with a real tokenizer.
  void write_model(const std::string& name) {
    std::vector<TensorView> weights;
    for (const ExpectedTensor& tensor : expected_tensors(description_.architecture)) {
      std::size_t size = sizeof(float);
      for (const auto extent : tensor.shape) {
        size *= static_cast<std::size_t>(extent);
      }
      zeros_.emplace_back(size);
      weights.push_back({tensor.name, DType::kF32, tensor.shape, zeros_.back()});
    }
    write_package(folder_.path(name), description_, weights);
  }

  std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {
        "evaluate", "--model", folder_.path("model"), "--source", text_, "--reference", text_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  boost::json::object json_of(std::vector<std::string> more) const {
    more.emplace_back("--json");
    return boost::json::parse(command_line::output_of(add_evaluate_command, arguments(more)))
        .as_object();
  }

  std::string failure_of(const std::vector<std::string>& more) const {
    return command_line::failure_of(add_evaluate_command, arguments(more));
  }

  static constexpr int kVocabulary = 18;
  TemporaryFolder folder_;
  std::string text_ = folder_.write("text",
                                    "eins zwei drei vier\nzwei drei\nvier eins zwei eins\n"
                                    "drei zwei eins vier zwei\n");
  PackageDescription description_;
  std::list<std::vector<std::byte>> zeros_;
};

TEST_F(EvaluateCommand, JsonHasScoresOfACopiedText) {
  const auto result = json_of({"--policy", "full-sentence"});
  EXPECT_NEAR(result.at("bleu").to_number<double>(), 100, 1e-9);
  EXPECT_NEAR(result.at("chrf").to_number<double>(), 100, 1e-9);
  // No word is written before all 4, 2, 4 and 5 words have been read.
  EXPECT_DOUBLE_EQ(result.at("al").to_number<double>(), 15.0 / 4);
  EXPECT_DOUBLE_EQ(result.at("laal").to_number<double>(), 15.0 / 4);
  EXPECT_DOUBLE_EQ(result.at("dal").to_number<double>(), 15.0 / 4);
  EXPECT_DOUBLE_EQ(result.at("cw").to_number<double>(), 15.0 / 4);
  EXPECT_DOUBLE_EQ(result.at("ap").to_number<double>(), 1);
  EXPECT_EQ(result.at("sentences"), 4);
  EXPECT_GT(result.at("tokens_per_second").to_number<double>(), 0);
  EXPECT_GE(result.at("tokens").at("al").to_number<double>(), 15.0 / 4);
}

TEST_F(EvaluateCommand, TakesTheModelsOwnPolicyWhereNoneIsNamed) {
  EXPECT_EQ(json_of({}).at("tokens"), json_of({"--policy", "wait-k:k=1"}).at("tokens"));
  EXPECT_DOUBLE_EQ(json_of({}).at("tokens").at("al").to_number<double>(), 1);
}

TEST_F(EvaluateCommand, TableNamesPolicySignatureAndUnits) {
  const std::string table =
      command_line::output_of(add_evaluate_command, arguments({"--policy", "wait-k:k=1"}));
  EXPECT_THAT(table, HasSubstr("4 sentences under wait-k:k=1"));
  EXPECT_THAT(table, HasSubstr("BLEU         100.000   nrefs:1|case:mixed|eff:no|tok:13a"));
  EXPECT_THAT(table, HasSubstr("words     tokens"));
}

TEST_F(EvaluateCommand, ScoresEachGroupOfATestSet) {
  const std::string groups = folder_.write("groups", "talk\nnews\ntalk\n\"x\"\n");
  const auto result = json_of({"--policy", "full-sentence", "--groups", groups});
  EXPECT_EQ(result.at("sentences"), 4);
  const auto& rows = result.at("groups").as_array();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("group"), "talk");
  EXPECT_EQ(rows[0].at("sentences"), 2);
  EXPECT_NEAR(rows[0].at("bleu").to_number<double>(), 100, 1e-9);
  EXPECT_DOUBLE_EQ(rows[1].at("al").to_number<double>(), 2);
  EXPECT_EQ(rows[2].at("group"), "\"x\"");

  const std::string table = command_line::output_of(
      add_evaluate_command,
      arguments({"--policy", "full-sentence", "--source",
                 folder_.write("one.de", "eins zwei drei vier\n"), "--reference",
                 folder_.write("one.en", "eins zwei drei vier\n")}));
  EXPECT_THAT(table, HasSubstr("5 sentences under full-sentence"));
  EXPECT_THAT(table, MatchesRegex("(.|\n)*\ntext  +4 +100.000 +100.000 +3.750\n"
                                  "one  +1 +100.000 +100.000 +4.000\n"
                                  "all  +5 +100.000 +100.000 +3.800\n(.|\n)*"));
  EXPECT_THAT(
      failure_of({"--groups", folder_.write("few", "talk\n")}),
      HasSubstr("few has 1 lines; it must have the name of a group for each of 4 sentences"));
}

TEST_F(EvaluateCommand, WritesTranslationsAndALogThatScoresTheSame) {
  const auto result = json_of({"--policy", "wait-k:k=2", "--output", folder_.path("out"),
                               "--instances", folder_.path("log"), "--limit", "3"});
  EXPECT_EQ(folder_.read("out"), "eins zwei drei vier\nzwei drei\nvier eins zwei eins\n");
  const auto instances = read_instances(std::filesystem::path(folder_.path("log")));
  ASSERT_EQ(instances.size(), 3U);
  EXPECT_EQ(instances[1].source, "zwei drei");
  std::vector<LatencyScores> scores;
  scores.reserve(instances.size());
  for (const Instance& instance : instances) {
    scores.push_back(latency(instance));
  }
  EXPECT_NEAR(result.at("al").to_number<double>(), mean(scores).al.value(), 1e-9);
  EXPECT_NEAR(result.at("dal").to_number<double>(), mean(scores).dal.value(), 1e-9);
}

TEST_F(EvaluateCommand, DividesWholeTalksAtTheirReferences) {
  const std::string folder = folder_.path("scoring");
  const auto result = json_of({"--document", "--groups", folder_.write("talks", "a\na\nb\nb\n"),
                               "--rate", "2", "--scoring", folder});
  EXPECT_EQ(result.at("instances").as_array().size(), 4U);
  const auto& summary = result.at("summary").as_object();
  EXPECT_NEAR(summary.at("BLEU").to_number<double>(), 100, 1e-9);
  EXPECT_GT(summary.at("LongYAAL").to_number<double>(), 0);
  EXPECT_GE(summary.at("LongYAAL_CA").to_number<double>(),
            summary.at("LongYAAL").to_number<double>());  // this model is that fast
  for (const char* log : {"/hypothesis.jsonl", "/simulstream.jsonl"}) {
    const auto again = boost::json::parse(command_line::output_of(
        add_score_command, {"score", folder + log, "--segments", folder + "/segments.yaml",
                            "--reference", folder + "/references.txt", "--json"}));
    for (const auto& [name, value] : summary) {
      if (value.is_number()) {
        EXPECT_NEAR(again.at("summary").at(name).to_number<double>(), value.to_number<double>(),
                    1e-3)
            << log << " " << name;
      }
    }
  }
}

TEST_F(EvaluateCommand, TellsTalksApartByTheirNames) {
  EXPECT_THAT(failure_of({"--document", "--groups", folder_.write("talks", "a\nb\na\na\n")}),
              HasSubstr("the lines of talk 'a' must follow each other"));
  EXPECT_THAT(failure_of({"--document", "--source", text_, "--reference", text_}),
              HasSubstr("two talks have the same name; rename a file"));
  const auto result =
      json_of({"--document", "--groups", folder_.write("talks", "x.y.1\nx.y.1\nx.y.2\nx/y.2\n")});
  EXPECT_NEAR(result.at("summary").at("BLEU").to_number<double>(), 100, 1e-9);
}

TEST_F(EvaluateCommand, PrintsTheScoresOfTalksInMilliseconds) {
  const std::string table =
      command_line::output_of(add_evaluate_command, arguments({"--document"}));
  EXPECT_THAT(table, StartsWith("1 talk under wait-k:k=1 at 2.5 words per second\n4 instances"));
  EXPECT_THAT(table, HasSubstr("LongYAAL_CA"));
}

TEST_F(EvaluateCommand, SweepsTalksInMilliseconds) {
  const std::string csv = folder_.path("csv");
  const std::string table = command_line::output_of(
      add_evaluate_command,
      arguments({"--sweep", "--document", "--policy", "wait-k:k=1..2", "--csv", csv}));
  EXPECT_THAT(table, MatchesRegex("\\| test set \\|.* YAAL \\| LongYAAL \\| YAAL_CA \\| "
                                  "LongYAAL_CA \\|\n\\|---.*\n"
                                  "\\| text \\| copy \\| wait-k:k=1 \\| 100\\.00 \\|.*\n"
                                  "\\| text \\| copy \\| wait-k:k=2 \\| 100\\.00 \\|.*\n"));
  EXPECT_THAT(folder_.read("csv"), HasSubstr(",yaal,long_yaal,yaal_ca,long_yaal_ca,tokens_per_"));
  const auto alone = json_of({"--document", "--policy", "wait-k:k=2"});
  std::array<char, 32> long_yaal{};
  std::snprintf(long_yaal.data(), long_yaal.size(), " %.2f |",
                alone.at("summary").at("LongYAAL").to_number<double>());
  EXPECT_THAT(table, HasSubstr(long_yaal.data()));
}

TEST_F(EvaluateCommand, SweepsEachPolicyThatAModelWasTrainedFor) {
  const std::string table = command_line::output_of(
      add_evaluate_command,
      arguments({"--sweep", "--policy", "wait-k:k=1..2", "--policy", "full-sentence", "--source",
                 folder_.write("one.de", "eins zwei\n"), "--reference",
                 folder_.write("one.en", "eins zwei\n"), "--csv", folder_.path("csv")}));
  EXPECT_THAT(table, MatchesRegex("\\| test set \\| model \\| policy \\| BLEU \\|.*\n\\|---.*\n"
                                  "\\| text \\| copy \\| wait-k:k=1 \\| 100\\.00 \\|.*\n"
                                  "\\| text \\| copy \\| wait-k:k=2 \\| 100\\.00 \\|.*\n"
                                  "\\| one \\| copy \\| wait-k:k=1 \\| .*\n"
                                  "\\| one \\| copy \\| wait-k:k=2 \\| .*\n"));
  EXPECT_THAT(
      folder_.read("csv"),
      MatchesRegex("test_set,model,policy,trained,sentences,bleu,chrf,al,laal,ap,dal,cw,yaal,"
                   "long_yaal,tokens_per_second\r\n"
                   "text,copy,wait-k:k=1,true,4,100[.0-9]*,100[.0-9]*,1,1,[^\r]*\r\n"
                   "text,copy,wait-k:k=2,true,4,[^\r]*\r\n"
                   "one,copy,wait-k:k=1,true,1,[^\r]*\r\none,copy,[^\r]*\r\n"));
}

TEST_F(EvaluateCommand, SweepsWhatItWasNotTrainedForOnRequest) {
  EXPECT_THAT(
      failure_of({"--sweep", "--policy", "full-sentence"}),
      HasSubstr("no model was trained for any of the policies; --untrained evaluates them"));
  const std::string csv = folder_.path("csv");
  command_line::output_of(add_evaluate_command, arguments({"--sweep", "--policy", "full-sentence",
                                                           "--untrained", "--csv", csv}));
  EXPECT_THAT(folder_.read("csv"), HasSubstr("text,copy,full-sentence,false,4,"));
}

TEST_F(EvaluateCommand, SweepCountsStepsAndScoresEachLength) {
  std::string eleven = "vier";
  for (int i = 0; i < 10; ++i) {
    eleven += " zwei";
  }
  const std::vector<std::string> texts = {"eins zwei", eleven};
  SweepPlan plan;
  plan.test_sets = {{.name = "two", .texts = {.sources = texts, .references = texts}}};
  plan.models = {folder_.path("model")};
  plan.policies = {"full-sentence"};
  plan.untrained = true;
  const std::vector<SweepRun> runs = run_sweep(plan, {});
  ASSERT_EQ(runs.size(), 1U);
  ASSERT_EQ(runs[0].lengths.size(), 2U);
  EXPECT_EQ(runs[0].lengths[0].most_words, 10);
  EXPECT_EQ(runs[0].lengths[0].sentences, 1U);
  EXPECT_EQ(runs[0].lengths[1].most_words, 20);
  EXPECT_NEAR(runs[0].lengths[1].bleu, 100, 1e-9);
  // The whole source is read before the first token, and none of it later.
  const auto& steps = runs[0].steps;
  EXPECT_EQ(steps[0], runs[0].scores.target_tokens - 2);
  EXPECT_EQ(std::accumulate(steps.begin(), steps.end(), std::int64_t{0}),
            runs[0].scores.target_tokens);
}

TEST_F(EvaluateCommand, KeepsAResultFileUntilThereIsANewResult) {
  const std::string kept = folder_.write("kept", "old\n");
  failure_of({"--sweep", "--policy", "full-sentence", "--csv", kept});
  EXPECT_EQ(folder_.read("kept"), "old\n");
}

TEST_F(EvaluateCommand, SweepsAPolicyOnceHoweverOftenItIsNamed) {
  const std::string csv = folder_.path("csv");
  command_line::output_of(
      add_evaluate_command,
      arguments({"--sweep", "--policy", "wait-k:k=1..2", "--policy", "wait-k:k=2", "--csv", csv}));
  const std::string rows = folder_.read("csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3);
}

TEST_F(EvaluateCommand, SaysWhatASweepAloneTakes) {
  EXPECT_THAT(failure_of({"--policy", "wait-k:k=1", "--policy", "wait-k:k=2"}),
              HasSubstr("several models or policies need --sweep"));
  EXPECT_THAT(failure_of({"--csv", folder_.path("csv")}), HasSubstr("--sweep"));
  EXPECT_THAT(failure_of({"--sweep"}), HasSubstr("--sweep needs at least one --policy"));
  EXPECT_THAT(failure_of({"--sweep", "--policy", "wait-k", "--source", text_}),
              HasSubstr("--source and --reference must be given equally often"));
  EXPECT_THAT(failure_of({"--sweep", "--policy", "gma:delta=1..2.5"}), HasSubstr("needs a step"));
}

// With k = 2, three tokens and the end of sentence on both sides, the released code records its
// reads and writes as 0 0 1 0 1 0 1 1. The numbers below are computed from that string.
TEST_F(EvaluateCommand, CountsPreTokenisedTextAsGmasReleasedCodeDoes) {
  description_.tokenizer = {TokenizerFiles::Type::kDictionary, "dict", "dict"};
  description_.architecture.source_vocabulary = 7;
  description_.architecture.target_vocabulary = 7;
  write_model("pieces");
  folder_.write("pieces/dict", "eins 3\nzwei@@ 2\ndrei 1\n");
  const std::vector<std::string> common = {"evaluate",
                                           "--model",
                                           folder_.path("pieces"),
                                           "--source",
                                           folder_.write("source", "eins zwei@@ drei\n"),
                                           "--reference",
                                           folder_.write("reference", "eins zweidrei\n"),
                                           "--policy",
                                           "wait-k:k=2"};
  EXPECT_THAT(command_line::output_of(add_evaluate_command, common),
              HasSubstr("the end of sentence counts as a token, as in GMA's released code.\n"));

  auto with_files = common;
  for (const char* more : {"--json", "--output"}) with_files.emplace_back(more);
  with_files.push_back(folder_.path("out"));
  const auto result =
      boost::json::parse(command_line::output_of(add_evaluate_command, with_files)).as_object();
  EXPECT_EQ(folder_.read("out"), "eins zweidrei\n");
  const auto& tokens = result.at("tokens").as_object();
  const auto number = [&](const char* key) { return tokens.at(key).to_number<double>(); };
  EXPECT_DOUBLE_EQ(number("cw"), 4.0 / 3);
  EXPECT_DOUBLE_EQ(number("ap"), 13.0 / 16);
  EXPECT_DOUBLE_EQ(number("al"), 2);
  EXPECT_DOUBLE_EQ(number("dal"), 2);
  EXPECT_EQ(tokens.at("end_of_sentence"), true);
  // Over words: "zwei@@ drei" is one word, read with its first token.
  EXPECT_DOUBLE_EQ(result.at("cw").to_number<double>(), 2);
}

TEST_F(EvaluateCommand, DevScoreIsOverAllTextsTogether) {
  const std::vector<ParallelText> texts = {{text_, text_}, {text_, text_}};
  const DevScore score = score_on_dev(folder_.path("model"), texts, 2, "full-sentence", {});
  EXPECT_NEAR(score.bleu, 100, 1e-9);
  EXPECT_DOUBLE_EQ(score.average_lagging, 3);  // 4, 2, 4, 2
}

TEST_F(EvaluateCommand, BadInputIsOneClearSentence) {
  EXPECT_THAT(failure_of({"--policy", "waitk"}),
              HasSubstr("unknown policy 'waitk'; did you mean wait-k?"));
  EXPECT_THAT(failure_of({"--output", folder_.path("no/out")}), HasSubstr("cannot be written"));
  EXPECT_THAT(failure_of({"--limit", "0"}), HasSubstr("--limit"));
}

TEST_F(EvaluateCommand, BadTestSetIsNamed) {
  const std::string other = folder_.write("other", "a\nb\n");
  EXPECT_THROW(read_test_set(text_, folder_.path("none"), 0), std::runtime_error);
  try {
    read_test_set(text_, other, 0);
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), text_ + " has 4 lines but " + other + " has 2");
  }
  try {
    read_test_set(folder_.write("broken", "a\n\xFF\n"), other, 0);
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), folder_.path("broken") + ":2: the line is not UTF-8");
  }
}

TEST_F(EvaluateCommand, SentenceLongerThanTheModelTakesIsNamed) {
  std::string words;
  for (int i = 0; i < 30; ++i) {
    words += "eins ";
  }
  const std::string text = folder_.write("long", "eins\n" + words + "\n");
  EXPECT_THAT(
      command_line::failure_of(add_evaluate_command, {"evaluate", "--model", folder_.path("model"),
                                                      "--source", text, "--reference", text}),
      HasSubstr("line 2: the sentence has"));
}

}  // namespace

// These replace the program's functions.
std::unique_ptr<Translator> load_translator(const std::filesystem::path&,
                                            const TranslatorOptions&) {
  return std::make_unique<CopyingTranslator>();
}

std::vector<std::unique_ptr<Translator>> load_translators(const std::filesystem::path& package,
                                                          const TranslatorOptions& options) {
  std::vector<std::unique_ptr<Translator>> translators;
  translators.push_back(load_translator(package, options));
  return translators;
}

}  // namespace surtitle
