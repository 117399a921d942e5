#include "metrics/simulstream_log.h"

#include <gmock/gmock.h>

#include <sstream>
#include <stdexcept>

namespace surtitle {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr const char* kHead = "{\"id\": 3, \"metadata\": {\"wav_name\": \"/data/talk.wav\"}}\n";

std::string line(double time, const std::string& generated, const std::string& deleted = "") {
  return "{\"id\": 3, \"total_audio_processed\": " + std::to_string(time) +
         ", \"computation_time\": 0.5, \"generated_tokens\": [" + generated +
         "], \"deleted_tokens\": [" + deleted + "]}\n";
}

SimulStreamRecording read(const std::string& lines, std::optional<TokenJoin> join = {}) {
  std::istringstream in(kHead + lines);
  return read_simulstream_log(in, "log", join).at(0);
}

std::string problem(const std::string& lines) {
  std::istringstream in(lines);
  try {
    read_simulstream_log(in, "log");
    return "none";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(SimulStreamLog, JoinsWordsAndGivesThemTheTimesOfTheirLines) {
  const SimulStreamRecording recording = read(line(1, R"("a", "b")") + line(2.5, R"("c")"));
  EXPECT_EQ(recording.translation.recording, "talk");
  EXPECT_EQ(recording.translation.text, "a b c");
  EXPECT_THAT(recording.translation.delays, ElementsAre(1000, 1000, 2500));
  EXPECT_THAT(recording.translation.elapsed, ElementsAre(1500, 1500, 3000));
  EXPECT_EQ(recording.source_length, 2500);
}

TEST(SimulStreamLog, GivesAWordTheTimeOfItsLastPiece) {
  const SimulStreamRecording recording =
      read(line(1, R"("▁ein", "▁Ha")") + line(2, R"("us", "▁ist")"));
  EXPECT_EQ(recording.translation.text, "ein Haus ist");
  EXPECT_THAT(recording.translation.delays, ElementsAre(1000, 2000, 2000));
}

TEST(SimulStreamLog, ForgetsDeletedTokens) {
  const SimulStreamRecording recording =
      read(line(1, R"("▁ein", "▁Hau", "s")") + line(2, R"("pt")", R"("s")") +
           line(3, R"("▁Hof")", R"("▁Hau", "pt")"));
  EXPECT_EQ(recording.translation.text, "ein Hof");
  EXPECT_THAT(recording.translation.delays, ElementsAre(1000, 3000));
}

TEST(SimulStreamLog, NamesTheLineWithAProblem) {
  EXPECT_EQ(problem(kHead + line(1, "\"a\"") + line(2, "", "\"b\"")),
            "log:3: deleted_tokens are not the last tokens before the line");
  EXPECT_EQ(problem(line(1, "\"a\"")), "log:1: no line before names the recording of id 3");
  EXPECT_EQ(problem(std::string(kHead) + "{\"id\": 3}"),
            "log:2: field 'total_audio_processed' is missing");
  EXPECT_EQ(problem("{\"id\": 3, \"metadata\": {}}"),
            "log:1: metadata must have the field 'wav_name'");
  EXPECT_EQ(problem("[]"), "log:1: a line must be a JSON object");
}

TEST(SimulStreamLog, IsReadAsItWasWritten) {
  const std::vector<RecordedTranslation> written{
      {"one", "a \"b\" c", {100, 100, 200}, {150, 150, 260}},
      {"two", "", {}, {}},
      {"three", "d", {0}, {0}}};
  std::istringstream in(to_simulstream_log(written));
  const std::vector<SimulStreamRecording> recordings = read_simulstream_log(in, "log");
  ASSERT_EQ(recordings.size(), 3U);
  EXPECT_EQ(recordings[0].translation.text, "a \"b\" c");
  EXPECT_EQ(recordings[0].translation.delays, written[0].delays);
  EXPECT_THAT(recordings[0].translation.elapsed, Pointwise(DoubleNear(1e-9), written[0].elapsed));
  EXPECT_EQ(recordings[1].translation.text, "");
  EXPECT_EQ(recordings[2].translation.recording, "three");
}

TEST(SimulStreamLog, IsRecognisedByItsFirstLine) {
  EXPECT_TRUE(is_simulstream_line(kHead));
  EXPECT_TRUE(is_simulstream_line(line(1, "")));
  EXPECT_FALSE(is_simulstream_line("{\"index\": 1, \"delays\": []}"));
  EXPECT_FALSE(is_simulstream_line("id"));
}

}  // namespace
}  // namespace surtitle
