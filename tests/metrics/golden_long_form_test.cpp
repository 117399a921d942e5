// `surtitle score` on whole recordings, compared with OmniSTEval's numbers.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "daemon/commands/score.h"
#include "daemon/evaluation/long_form.h"
#include "metrics/simulstream_log.h"
#include "tests/metrics/command_line.h"
#include "tests/metrics/golden.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using command_line::failure_of;
using command_line::output_of;
using testing::HasSubstr;

std::string file(const std::string& name) {
  return (golden::own_golden_folder() / "omnisteval" / name).string();
}

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

boost::json::object golden_of(const std::string& log) {
  return boost::json::parse(content(file("scores.json"))).at(log).as_object();
}

boost::json::object score(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "score");
  arguments.emplace_back("--json");
  return boost::json::parse(output_of(add_score_command, arguments)).as_object();
}

void expect_summary(const boost::json::object& result, const boost::json::object& golden) {
  const auto& summary = result.at("summary").as_object();
  for (const auto& [name, value] : golden.at("scores").as_object()) {
    EXPECT_NEAR(summary.at(name).to_number<double>(), value.to_number<double>(), 1e-3) << name;
  }
  EXPECT_EQ(golden.at("scores").as_object().size(), 12U);
  EXPECT_TRUE(summary.at("ATD").is_null()) << "it is over text";
}

class golden_long_form : public ::testing::TestWithParam<std::string> {};

TEST_P(golden_long_form, ScoresOfARecordingAgree) {
  expect_summary(score({file(GetParam()), "--segments", file("segments.yaml"), "--reference",
                        file("references.txt")}),
                 golden_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Logs, golden_long_form,
                         ::testing::Values("hypothesis.jsonl", "simulstream.jsonl"),
                         [](const auto& log) { return log.param.substr(0, log.param.find('.')); });

TEST(golden_long_form_sentences, AreDividedAtTheSameWords) {
  std::ifstream in(file("simulstream.jsonl"));
  std::vector<RecordedTranslation> translations;
  for (const SimulStreamRecording& recording : read_simulstream_log(in, "log")) {
    translations.push_back(recording.translation);
  }
  const std::vector<ReferenceRecording> recordings =
      read_segmentation(file("segments.yaml"), file("references.txt"));
  ASSERT_EQ(recordings.size(), 2U);
  const std::vector<Instance> instances = resegment(recordings, translations);
  const boost::json::array predictions =
      golden_of("simulstream.jsonl").at("predictions").as_array();
  ASSERT_EQ(instances.size(), predictions.size());
  for (std::size_t i = 0; i < instances.size(); ++i) {
    EXPECT_EQ(*instances[i].prediction, predictions[i].as_string());
    EXPECT_EQ(instances[i].index, static_cast<std::int64_t>(i));
  }
}

TEST(golden_long_form_sentences, OfOmniStEvalAreReadAsTheyAre) {
  expect_summary(score({file("resegmented.jsonl")}), golden_of("hypothesis.jsonl"));
}

// What is written is read back as it was, in both forms. Names of recordings may have dots.
TEST(ScoringFiles, HaveTheSameScoresAsWhatTheyWereMadeOf) {
  const TemporaryFolder folder;
  std::ifstream in(file("simulstream.jsonl"));
  std::vector<ScoringTalk> talks;
  const auto recordings = read_segmentation(file("segments.yaml"), file("references.txt"));
  for (const SimulStreamRecording& recording : read_simulstream_log(in, "log")) {
    talks.push_back({recordings[talks.size()], recording.translation, recording.source_length});
    talks.back().reference.name = "2022.acl-long." + std::to_string(talks.size());
  }
  const std::filesystem::path out = folder.path() / "scoring";
  write_scoring_files(out, talks);
  for (const char* log : {"hypothesis.jsonl", "simulstream.jsonl"}) {
    expect_summary(score({(out / log).string(), "--segments", (out / "segments.yaml").string(),
                          "--reference", (out / "references.txt").string()}),
                   golden_of("simulstream.jsonl"));
  }
}

TEST(ScoreCommand, TakesReferencesLineByLine) {
  const TemporaryFolder folder;
  const std::string log =
      folder.write("log", "{\"delays\": [1, 3], \"source_length\": 4, \"prediction\": \"a b\"}\n");
  const auto result = score({log, "--reference", folder.write("refs", "a b c d\n")});
  const auto& summary = result.at("summary").as_object();
  EXPECT_EQ(summary.at("YAAL").to_number<double>(), 1.5);  // (1 - 0 + 3 - 1) / 2
  EXPECT_FALSE(summary.contains("YAAL_CA"));
  EXPECT_THAT(
      failure_of(add_score_command, {"score", log, "--reference", folder.write("two", "a\nb\n")}),
      HasSubstr("has 2 lines, but"));
}

TEST(ScoreCommand, NamesWhatIsWrongWithASegmentation) {
  const TemporaryFolder folder;
  const auto failure = [&](const std::string& segments) {
    return failure_of(add_score_command, {"score", file("hypothesis.jsonl"), "--segments",
                                          folder.write("segments.yaml", segments), "--reference",
                                          folder.write("references.txt", "a b\n")});
  };
  EXPECT_THAT(failure("[]"), HasSubstr("must be a list with an entry for each of the 1 line of"));
  EXPECT_THAT(failure("- {wav: a.wav, offset: x, duration: 1}"),
              HasSubstr("entry 1 must have the fields wav, offset and duration (seconds)"));
  EXPECT_THAT(failure("- {wav: a.wav, offset: 0, duration: 1}"),
              HasSubstr("the log has no translation of recording 'a'"));
}

TEST(ScoreCommand, NamesRecordingsThatItCannotTellApart) {
  const TemporaryFolder folder;
  const auto failure = [&](const std::string& log, const std::string& wavs) {
    std::string segments;
    for (const char wav : wavs) {
      segments += std::string("- {wav: ") + wav + ".wav, offset: 0, duration: 1}\n";
    }
    return failure_of(
        add_score_command,
        {"score", folder.write("log", log), "--segments", folder.write("segments.yaml", segments),
         "--reference", folder.write("references.txt", std::string(wavs.size(), '\n'))});
  };
  const std::string line = R"({"source": ["x/a.wav"], "prediction": "", "delays": []})";
  EXPECT_THAT(failure(line, "aba"), HasSubstr("entries of recording 'a' must follow each other"));
  EXPECT_THAT(failure(line + "\n" + line, "a"),
              HasSubstr("the log has several translations of recording 'a'"));
  EXPECT_THAT(failure(line, "a"), HasSubstr("the references of recording 'x/a.wav' have no words"));
}

}  // namespace
}  // namespace surtitle
