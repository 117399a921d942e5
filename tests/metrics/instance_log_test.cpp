#include "metrics/instance_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace surtitle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<Instance> read(const std::string& text) {
  std::istringstream in(text);
  return read_instances(in, "some.log");
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

constexpr const char* kSimulEvalLine =
    R"({"index": 0, "prediction": "das ist ein Test", "delays": [2, 3, 4, 5], )"
    R"("elapsed": [0, 0, 0, 0], "prediction_length": 4, "reference": "das ist ein Test\n", )"
    R"("source": "this is a small test", "source_length": 5})";

TEST(InstanceLog, ReadsALineOfSimulEval) {
  const auto instances = read(kSimulEvalLine);
  ASSERT_EQ(instances.size(), 1U);
  const Instance& instance = instances[0];
  EXPECT_THAT(instance.delays, ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(instance.reference_length, 4);  // the newline is part of the last word
  EXPECT_EQ(instance.prediction, "das ist ein Test");
  EXPECT_EQ(instance.reference, "das ist ein Test\n");
  const LatencyScores scores = latency(instance);
  EXPECT_DOUBLE_EQ(scores.al.value(), 1.625);
  EXPECT_DOUBLE_EQ(scores.ap.value(), 0.7);
  EXPECT_DOUBLE_EQ(scores.dal.value(), 2.0);
}

TEST(InstanceLog, WritesTheFieldsOfSimulEvalInItsOrder) {
  EXPECT_EQ(to_instance_log_line(read(kSimulEvalLine)[0]), kSimulEvalLine);
}

TEST(InstanceLog, WritesZerosForElapsedThatIsMissing) {
  Instance instance;
  instance.index = 7;
  instance.delays = {1, 2.5};
  instance.prediction = "\u00E4 \"b\"";
  instance.source_length = 3;
  EXPECT_EQ(to_instance_log_line(instance),
            "{\"index\": 7, \"prediction\": \"\u00E4 \\\"b\\\"\", \"delays\": [1, 2.5], "
            "\"elapsed\": [0, 0], \"prediction_length\": 2, \"reference\": null, "
            "\"source\": null, \"source_length\": 3}");
}

TEST(InstanceLog, TwoSpacesInAReferenceCountOneMoreWord) {
  EXPECT_EQ(count_pieces("a b"), 2);
  EXPECT_EQ(count_pieces("a  b"), 3);
  EXPECT_EQ(count_pieces(" a"), 2);
  EXPECT_EQ(count_pieces("a\tb"), 1);
  EXPECT_EQ(count_pieces(""), 1);
  EXPECT_EQ(read(R"({"delays":[1],"source_length":1,"reference":"a  b"})")[0].reference_length, 3);
  EXPECT_EQ(read(R"({"delays":[1],"source_length":1,"reference":""})")[0].reference_length, 1);
}

TEST(InstanceLog, MissingReferenceAndNullAreNoReference) {
  for (const char* line :
       {R"({"delays":[3,3,4,6,6,6,6],"source_length":6})",
        R"({"delays":[3,3,4,6,6,6,6],"source_length":6,"reference":null})",
        R"({"delays":[3,3,4,6,6,6,6],"source_length":6,"reference_length":null})"}) {
    const Instance instance = read(line)[0];
    EXPECT_FALSE(instance.reference_length.has_value()) << line;
    EXPECT_NEAR(latency(instance).al.value(), 2.714285714, 1e-9) << line;
  }
}

TEST(InstanceLog, StatedReferenceLengthGoesBeforeTheText) {
  const Instance instance =
      read(R"({"delays":[1],"source_length":1,"reference_length":9,"reference":"a b"})")[0];
  EXPECT_EQ(instance.reference_length, 9);
  EXPECT_EQ(instance.reference, "a b");
}

TEST(InstanceLog, UnknownAndOldKeysAreIgnored) {
  EXPECT_EQ(read(R"({"index":3,"delays":[1],"source_length":1,"metric":{"latency":{"AL":9}},)"
                 R"("metrics":"?","kind":5,"prediction_spm":["a"]})")[0]
                .index,
            3);
}

TEST(InstanceLog, SpeechLinesAreReadInTheirOwnUnit) {
  const Instance instance =
      read(R"({"index":0,"prediction":"a b","delays":[280.0,1120.5],"elapsed":[300.1,1200.2],)"
           R"("prediction_length":2,"reference":"a b\n","source":["x.wav","samplerate: 16000"],)"
           R"("source_length":1500.0})")[0];
  EXPECT_THAT(instance.delays, ElementsAre(280, 1120.5));
  EXPECT_EQ(instance.source_length, 1500);
  EXPECT_FALSE(instance.source.has_value());
}

TEST(InstanceLog, SpeechOutputIsAFileAndItsLengthATime) {
  const Instance instance =
      read(R"({"delays":[320],"durations":[500],"prediction":"/x/0_pred.wav",)"
           R"("prediction_length":0.5,"source_length":900})")[0];
  EXPECT_THAT(instance.delays, ElementsAre(320));
  EXPECT_FALSE(instance.prediction.has_value());
}

TEST(InstanceLog, EmptyDelaysAreReadAndHaveNoScore) {
  const Instance instance = read(R"({"delays":[],"source_length":5,"prediction":""})")[0];
  EXPECT_THAT(instance.delays, IsEmpty());
  EXPECT_FALSE(latency(instance).al.has_value());
}

TEST(InstanceLog, SourceLengthIsCountedWhereItIsMissing) {
  EXPECT_EQ(read(R"({"delays":[1],"source":" this  is\tit "})")[0].source_length, 3);
}

TEST(InstanceLog, IndexIsThePlaceWhereItIsMissingAndBlankLinesDoNotCount) {
  const auto instances =
      read("{\"delays\":[],\"source_length\":1}\r\n\n  \n{\"delays\":[],\"source_length\":1}");
  ASSERT_EQ(instances.size(), 2U);
  EXPECT_EQ(instances[1].index, 1);
}

struct BadLine {
  const char* line;
  const char* says;
};

class RefusedLine : public testing::TestWithParam<BadLine> {};

TEST_P(RefusedLine, NamesFileLineAndProblem) {
  const std::string text =
      std::string("{\"delays\":[1],\"source_length\":1}\n") + GetParam().line + "\n";
  EXPECT_THAT(refusal(text), StartsWith("some.log:2: "));
  EXPECT_THAT(refusal(text), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    InstanceLog, RefusedLine,
    testing::Values(
        BadLine{"{", "not JSON"}, BadLine{"NaN", "not JSON"}, BadLine{"[1]", "a JSON object"},
        BadLine{R"({"delays":[1],"source_length":1} x)", "not JSON"},
        BadLine{"{\"delays\":[1],\"source_length\":1,\"reference\":\"\xFF\"}", "not JSON"},
        BadLine{R"({"source_length":1})", "field 'delays' is missing"},
        BadLine{R"({"delays":null,"source_length":1})", "field 'delays' is missing"},
        BadLine{R"({"delays":3,"source_length":1})", "delays must be an array of numbers"},
        BadLine{R"({"delays":[1,"2"],"source_length":1})", "delays[1] must be a number"},
        BadLine{R"({"delays":[-1],"source_length":1})", "delays[0] must be finite and at least 0"},
        BadLine{R"({"delays":[1e999],"source_length":1})", "delays[0] must be finite"},
        BadLine{R"({"delays":[2,1],"source_length":1})",
                "delays[1] must be at least the one before"},
        BadLine{R"({"delays":[1]})", "neither 'source_length' nor 'source'"},
        BadLine{R"({"delays":[1],"source_length":-1})", "source_length must be finite"},
        BadLine{R"({"delays":[1],"source_length":"5"})", "source_length must be a number"},
        BadLine{R"({"delays":[1],"source_length":1,"reference_length":1.5})",
                "reference_length must be a whole number"},
        BadLine{R"({"delays":[1],"source_length":1,"reference_length":3e9})",
                "reference_length must be a whole number"},
        BadLine{R"({"delays":[1],"source_length":1,"reference":["a"]})",
                "reference must be a string or null"},
        BadLine{R"({"delays":[1],"source_length":1,"prediction":1})",
                "prediction must be a string"},
        BadLine{R"({"delays":[1],"source_length":1,"prediction_length":2})",
                "prediction_length is 2 but there are 1 delays"},
        BadLine{R"({"delays":[1],"source_length":1,"index":"a"})", "index must be a number"}));

TEST(InstanceLog, FileThatIsNotThereIsNamed) {
  EXPECT_THROW(
      {
        try {
          read_instances(std::filesystem::path("/no/such/file"));
        } catch (const std::runtime_error& error) {
          EXPECT_THAT(error.what(), HasSubstr("/no/such/file"));
          throw;
        }
      },
      std::runtime_error);
  EXPECT_THROW(read_instances(std::filesystem::temp_directory_path()), std::runtime_error);
}

}  // namespace
}  // namespace surtitle
