#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <iostream>

#include "daemon/commands/score.h"
#include "metrics/latency.h"
#include "tests/metrics/command_line.h"
#include "tests/metrics/golden.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using command_line::failure_of;
using command_line::output_of;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTwoLines =
    R"({"index": 4, "delays": [2, 3], "source_length": 3, "reference": "the cat sat on", )"
    R"("prediction": "the cat"})"
    "\n"
    R"({"index": 5, "delays": [], "source_length": 2, "reference": "yes", "prediction": ""})"
    "\n";

TEST(ScoreCommand, JsonHasEveryGoldenNumberUnderItsName) {
  const auto file = golden::own_golden_folder() / "latency_public.jsonl";
  const auto lines = golden::read_jsonl(file);
  const std::string out = output_of(add_score_command, {"score", file.string(), "--json"});
  ASSERT_EQ(out.find('\n'), out.size() - 1);
  const auto result = boost::json::parse(out).as_object();
  const auto& instances = result.at("instances").as_array();
  ASSERT_EQ(instances.size(), lines.size());
  for (const LatencyMetric& metric : kLatencyMetrics) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto& found = instances[i].as_object();
      EXPECT_EQ(found.at("index"), lines[i].at("index"));
      const auto& expected = lines[i].at("metrics").as_object().at(metric.name);
      ASSERT_EQ(found.at(metric.name).is_null(), expected.is_null());
      if (!expected.is_null()) {
        EXPECT_NEAR(found.at(metric.name).to_number<double>(), expected.to_number<double>(), 1e-9);
        sum += expected.to_number<double>();
        ++count;
      }
    }
    EXPECT_NEAR(result.at("summary").as_object().at(metric.name).to_number<double>(), sum / count,
                1e-9);
  }
  EXPECT_TRUE(result.at("summary").as_object().at("BLEU").is_null());
}

TEST(ScoreCommand, SummaryHasQualityWhereThereAreTexts) {
  const TemporaryFolder folder;
  const std::string out =
      output_of(add_score_command, {"score", folder.write("log", kTwoLines), "--json"});
  const auto result = boost::json::parse(out).as_object();
  const auto& summary = result.at("summary").as_object();
  EXPECT_EQ(summary.at("count"), 2);
  EXPECT_EQ(summary.at("empty"), 1);
  EXPECT_EQ(summary.at("with_texts"), 2);
  EXPECT_GT(summary.at("chrF").to_number<double>(), 10);
  EXPECT_EQ(summary.at("BLEU").to_number<double>(), 0);  // no three-gram at all
  EXPECT_THAT(std::string(summary.at("BLEU_signature").as_string()), HasSubstr("tok:13a"));
  EXPECT_TRUE(result.at("instances").at(1).at("NumChunks").is_null());
}

// The log is of a SimulEval run against the daemon, with SimulEval's own scores, rounded to three
// places.
TEST(ScoreCommand, ScoresARunOfSimulEvalAsSimulEvalDid) {
  const auto folder = std::filesystem::path(SURTITLE_SOURCE_DIR) / "tests/data/simuleval";
  const std::string out =
      output_of(add_score_command, {"score", (folder / "instances.log").string(), "--json"});
  const auto summary = boost::json::parse(out).at("summary").as_object();
  std::ifstream scores(folder / "scores.tsv");
  std::string names;
  std::string values;
  std::getline(scores, names);
  std::getline(scores, values);
  std::istringstream name_stream(names);
  std::istringstream value_stream(values);
  int compared = 0;
  double value = 0;
  for (std::string name; name_stream >> name && value_stream >> value; ++compared) {
    EXPECT_NEAR(summary.at(name).to_number<double>(), value, 0.0005) << name;
  }
  EXPECT_EQ(compared, 6);
}

TEST(ScoreCommand, TableNamesMetricsUnitAndConvention) {
  const TemporaryFolder folder;
  const std::string table = output_of(add_score_command, {"score", folder.write("log", kTwoLines)});
  EXPECT_THAT(table, HasSubstr("2 instances, 1 of them empty"));
  EXPECT_THAT(table, HasSubstr("AL                2.1250   reference length"));
  EXPECT_THAT(table, HasSubstr("LAAL              2.1250   the longer of"));
  EXPECT_THAT(table, HasSubstr("words"));
  EXPECT_THAT(table, HasSubstr("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"));
}

TEST(ScoreCommand, TableIsSilentAboutQualityWithoutTexts) {
  const TemporaryFolder folder;
  const std::string file = folder.write("log", R"({"delays": [0], "source_length": 1})");
  const std::string table = output_of(add_score_command, {"score", file});
  EXPECT_THAT(table, Not(HasSubstr("BLEU")));
  EXPECT_THAT(table, HasSubstr("CW                     -"));
}

TEST(ScoreCommand, DashReadsStandardInput) {
  std::istringstream input(kTwoLines);
  std::streambuf* before = std::cin.rdbuf(input.rdbuf());
  const std::string out = output_of(add_score_command, {"score", "-", "--json"});
  std::cin.rdbuf(before);
  EXPECT_EQ(boost::json::parse(out).at("instances").as_array().size(), 2U);
}

TEST(ScoreCommand, ReadsAMarkUtf16AndHalfASurrogatePair) {
  const TemporaryFolder folder;
  const std::string line =
      R"({"delays": [1], "source_length": 1, "prediction": "x \ud83d", "score": NaN})";
  std::string utf16("\xFF\xFE");
  for (const char c : line) {
    utf16 += {c, '\0'};
  }
  for (const std::string& content : {"\xEF\xBB\xBF" + line, utf16}) {
    const std::string out =
        output_of(add_score_command, {"score", folder.write("log", content), "--json"});
    EXPECT_EQ(boost::json::parse(out).at("instances").as_array().size(), 1U);
  }
}

TEST(ScoreCommand, BadInputIsOneLineThatNamesFileAndLine) {
  const TemporaryFolder folder;
  const std::string file = folder.write("log", "{\"delays\": [1], \"source_length\": 1}\n{}\n");
  EXPECT_EQ(failure_of(add_score_command, {"score", file}), file + ":2: field 'delays' is missing");
  EXPECT_EQ(failure_of(add_score_command, {"score", folder.path("none")}),
            folder.path("none") + ": cannot be read");
  EXPECT_EQ(failure_of(add_score_command, {"score", folder.write("empty", "\n")}),
            folder.path("empty") + ": the log has no instances");
  EXPECT_EQ(
      failure_of(add_score_command, {"score", folder.write("sound", "RIFF\x24\x08WAVE")}),
      folder.path("sound") + ": the input is a WAV or AVI file; allowed: text in UTF-8 or UTF-16");
}

}  // namespace
}  // namespace surtitle
