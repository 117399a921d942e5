#include "daemon/replay/replay_input.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "daemon/replay/stream_log_reader.h"

namespace surtitle {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pointwise;
using ::testing::StartsWith;

constexpr const char* kHead =
    R"({"type":"stream_log","version":1,"started":"2026-11-22T03:36:55.123Z","stream":"s-1",)"
    R"("source":"de","source_form":"spoken","tracks":[)"
    R"({"name":"","target":"en","model":"de-en-gma","policy":"auto:lag=3"},)"
    R"({"name":"fr","target":"fr","model":"de-fr","policy":"gma:delta=1"}]})"
    "\n";

// Two sentences. The first ends by silence; its policy is the one that auto began with.
constexpr const char* kTalk =
    R"({"type":"policy","sentence":0,"model":"de-en-gma","policy":"gma:delta=2","by_lag":true})"
    "\n"
    R"({"type":"source","sentence":0,"text":"Guten Morgen","time":7.5,"taken":100})"
    "\n"
    R"({"type":"write","sentence":0,"index":0,"text":"Good","read":2,"words":2,"time":130})"
    "\n"
    R"({"type":"write","sentence":0,"index":0,"text":"Bon","read":2,"words":2,"time":131,"track":"fr"})"
    "\n"
    R"({"type":"end_sentence","sentence":0,"time":2100})"
    "\n"
    R"({"type":"write","sentence":0,"index":1,"text":" mor","read":3,"words":2,"time":2130})"
    "\n"
    R"({"type":"write","sentence":0,"index":2,"text":"ning","read":3,"words":2,"time":2140})"
    "\n"
    R"({"type":"sentence","sentence":0,"source":"Guten Morgen","target":"Good morning",)"
    R"("metrics":{"words":{},"tokens":{}}})"
    "\n"
    R"({"type":"policy","sentence":1,"model":"de-en-gma","policy":"gma:delta=3","by_lag":true})"
    "\n"
    R"({"type":"attention","what":"a field of a later version"})"
    "\n"
    R"({"type":"source_form","source_form":"written"})"
    "\n"
    R"({"type":"source","sentence":1,"text":"alle.","time":9,"taken":2500})"
    "\n"
    R"({"type":"end_sentence","sentence":1,"time":2500})"
    "\n"
    R"({"type":"sentence","sentence":1,"source":"alle.","target":"","metrics":{"words":{},"tokens":{}}})"
    "\n";
constexpr const char* kEnd = R"({"type":"end","reason":"finished","time":2600,"words":3})"
                             "\n";

std::string log(const std::string& more = "") { return std::string(kHead) + kTalk + more; }

std::string failure(const std::string& content, const std::string& track = "") {
  try {
    read_stream_log(content, "talk", track);
    return "nothing was thrown";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(StreamLogReader, RestoresTheTalkAsItArrived) {
  const ReadStreamLog read = read_stream_log(log(kEnd), "talk", "");
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(read.head.source_form, TextForm::kSpoken);
  EXPECT_EQ(read.track.policy, "gma:delta=2") << "the policy of the first sentence";
  const std::vector<TimedText>& texts = read.transcript.texts;
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(texts[0].text, "Guten Morgen");
  EXPECT_EQ(texts[0].time, 0);
  EXPECT_EQ(texts[0].clock, 7.5);
  EXPECT_FALSE(texts[0].ends_sentence);
  EXPECT_EQ(texts[1].words, 0) << "the end by silence, at its time";
  EXPECT_TRUE(texts[1].ends_sentence);
  EXPECT_EQ(texts[1].time, 2.0);
  EXPECT_EQ(texts[2].text, "alle.");
  EXPECT_TRUE(texts[2].ends_sentence);
  EXPECT_EQ(texts[2].time, 2.4);
  ASSERT_EQ(texts[2].changes.size(), 2U);
  EXPECT_EQ(texts[2].changes[0].source_form, TextForm::kWritten);
  EXPECT_EQ(texts[2].changes[1].policy, "gma:delta=3");
  EXPECT_THAT(read.transcript.sentences, ElementsAre(2, 1));
}

TEST(StreamLogReader, RestoresWhenAndAfterWhichWordEachWordWasWritten) {
  const ReadStreamLog read = read_stream_log(log(kEnd), "talk", "");
  ASSERT_EQ(read.run.sentences.size(), 2U);
  const RecordedSentence& first = read.run.sentences.front();
  EXPECT_EQ(first.target, "Good morning");
  EXPECT_THAT(first.source_times, ElementsAre(100, 100));
  EXPECT_THAT(first.delays, ElementsAre(2, 2));
  EXPECT_THAT(first.written, ElementsAre(130, 2140));
  ASSERT_EQ(first.delays_ms.size(), 3U);
  EXPECT_NEAR(first.delays_ms[0], 30, 0.01) << "after the word";
  EXPECT_NEAR(first.delays_ms[1], 30, 0.01) << "after the silence";
  EXPECT_THAT(first.due, Pointwise(DoubleNear(0.01), {100, 2100}));
}

TEST(StreamLogReader, ReadsTheRequestedTrack) {
  EXPECT_EQ(read_stream_log(log(kEnd), "talk", "fr").track.model, "de-fr");
  EXPECT_THAT(failure(log(), "es"),
              HasSubstr("talk:1: the stream has no track 'es'; allowed: the first, fr"));
}

TEST(StreamLogReader, ReadsALogThatIsCutOff) {
  const ReadStreamLog read = read_stream_log(log(R"({"type":"wri)"), "talk", "");
  EXPECT_EQ(read.run.sentences.size(), 2U);
  EXPECT_THAT(read.warnings,
              ElementsAre("talk:16: the last line is incomplete and was skipped",
                          "talk: the log ends before its stream; the rest is missing"));
}

TEST(StreamLogReader, NamesTheInvalidLine) {
  EXPECT_THAT(failure(""), HasSubstr("talk:1: the log has no stream"));
  EXPECT_THAT(failure(kHead), HasSubstr("the stream has no words"));
  EXPECT_THAT(failure(kTalk), HasSubstr("talk:1: a stream's log must begin with"));
  EXPECT_THAT(failure(log(kHead)), HasSubstr("talk:16: a second stream begins here"));
  EXPECT_THAT(failure(log("gut\n")), HasSubstr("talk:16: the line is not valid JSON"));
  EXPECT_THAT(failure(log("{\"type\":\"write\"}\n")), HasSubstr("talk:16: field 'sentence'"));
  EXPECT_THAT(failure(log(R"({"type":"source","sentence":2,"text":"a","time":1,"taken":3})"
                          "\n")),
              HasSubstr("talk:16: field 'taken' of source is earlier than"));
}

// --- any format ---

class ReplayInputTest : public ::testing::Test {
 protected:
  ~ReplayInputTest() override { std::filesystem::remove(file_); }

  ReplayInput read(const std::string& content, const ReplayReadOptions& reading = {}) const {
    std::ofstream(file_, std::ios::binary) << content;
    return read_replay_input(file_, reading);
  }
  std::string failure(const std::string& content, const ReplayReadOptions& reading = {}) const {
    try {
      read(content, reading);
      return "nothing was thrown";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  const std::string file_ =
      ::testing::TempDir() + "/surtitle_source_" + std::to_string(getpid()) + ".log";
};

constexpr const char* kInstances =
    R"({"index": 0, "prediction": "good morning", "delays": [1, 2], "elapsed": [0, 0], )"
    R"("prediction_length": 2, "reference": "Good morning.\n", "source": "guten Morgen alle\n", )"
    R"("source_length": 3})"
    "\n"
    R"({"index": 1, "prediction": "", "delays": [], "reference": "x", "source": "ja"})"
    "\n";

TEST_F(ReplayInputTest, RecognisesEachFormatByItsFirstLine) {
  EXPECT_EQ(read(log(kEnd)).format, ReplayFormat::kStream);
  EXPECT_EQ(read(kInstances).format, ReplayFormat::kInstances);
  EXPECT_EQ(read("\n {\"time\": 1, \"text\": \"a\"}").format, ReplayFormat::kTimed);
  EXPECT_EQ(read("Guten Tag").format, ReplayFormat::kText);
  EXPECT_EQ(read("{a: b", {.format = ReplayFormat::kText}).transcript.texts.front().text, "{a:");
}

TEST_F(ReplayInputTest, ReadsSubtitlesMarksAndUtf16) {
  const std::string srt = "1\r\n00:00:01,000 --> 00:00:02,000\r\nGuten Tag\r\n";
  EXPECT_EQ(read(srt).format, ReplayFormat::kSubtitles);
  EXPECT_EQ(read("\xEF\xBB\xBF" + srt).transcript.words, 2);
  EXPECT_EQ(read("WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n").transcript.words, 2);
  const std::string timed = "{\"time\": 1, \"text\": \"gut\"}\n";
  std::string utf16("\xFF\xFE");
  for (const char c : timed) {
    utf16 += {c, '\0'};
  }
  EXPECT_EQ(read("\xEF\xBB\xBF" + timed).format, ReplayFormat::kTimed);
  EXPECT_EQ(read(utf16).transcript.texts.front().text, "gut");
  EXPECT_EQ(read("gu\rguten \x1b[1mtag\x1b[0m").transcript.words, 2);
}

TEST_F(ReplayInputTest, ReplaysTheOutputOfARecogniser) {
  const ReplayInput input = read(
      "Connected\n"
      R"({"type": "config", "useAudioWorklet": true, "mode": "full"})"
      "\n"
      R"({"lines": [{"text": " Guten Tag.", "start": "0:00:01", "end": "0:00:02.50"}], )"
      R"("buffer_transcription": " so"})"
      "\n"
      R"({"lines": [{"text": " Guten Tag. so gut", "start": "0:00:01", "end": "0:00:04"}], )"
      R"("buffer_transcription": ""})");
  EXPECT_EQ(input.format, ReplayFormat::kRecogniser);
  EXPECT_THAT(input.warnings, ElementsAre(HasSubstr("recognised as whisperlivekit")));
  std::vector<std::string> words;
  for (const TimedText& timed : input.transcript.texts) {
    words.push_back(timed.text + "@" + std::to_string(static_cast<int>(timed.clock * 10)));
  }
  EXPECT_THAT(words, ElementsAre("Connected@4", "Guten@25", "Tag.@25", "so@40", "gut@40"));
}

TEST_F(ReplayInputTest, ReplaysTheWordsThatHypothesesCommit) {
  const ReplayInput input = read(R"({"partial": "ein haus", "partial_result": [{"end": 1}]})"
                                 R"({"partial": "ein haus ist", "partial_result": [{"end": 2}]})"
                                 R"({"text": "ein haus war", "result": [{"end": 3}]})"
                                 R"({"text": "ja", "result": [{"end": 5}]})");
  std::vector<std::string> words;
  for (const TimedText& timed : input.transcript.texts) {
    words.push_back(timed.text + "@" + std::to_string(static_cast<int>(timed.clock)) +
                    (timed.ends_sentence ? "." : ""));
  }
  EXPECT_THAT(words, ElementsAre("ein@2", "haus@2", "war@3.", "ja@5."));
}

TEST_F(ReplayInputTest, ReplaysSourcesOfSimulEvalWordByWord) {
  const ReplayInput input = read(kInstances, {.rate = 2});
  ASSERT_EQ(input.transcript.texts.size(), 4U);
  EXPECT_EQ(input.transcript.texts[1].time, 0.5);
  EXPECT_FALSE(input.transcript.texts[1].ends_sentence);
  EXPECT_TRUE(input.transcript.texts[2].ends_sentence);
  EXPECT_THAT(input.transcript.sentences, ElementsAre(3, 1));
  EXPECT_THAT(input.references, ElementsAre("Good morning.", "x"));
  ASSERT_EQ(input.run->sentences.size(), 2U);
  EXPECT_EQ(input.run->sentences[0].source, "guten Morgen alle");
  EXPECT_THAT(input.run->sentences[0].delays, ElementsAre(1, 2));
}

TEST_F(ReplayInputTest, ErrorsNameFileLineAndField) {
  EXPECT_THAT(failure(R"({"delays": [2, 1], "source": "a b"})"),
              StartsWith(file_ + ":1: delays[1] must be at least the one before"));
  EXPECT_THAT(failure(R"({"delays": [900.0], "source": ["a.wav"], "source_length": 1000})"),
              HasSubstr("instance 0 has no text in 'source'"));
  EXPECT_THAT(failure("Guten Tag", {.format = ReplayFormat::kStream}),
              StartsWith(file_ + ":1: the line is not valid JSON"));
  EXPECT_THAT(failure("{\"text\": \"a\"}"), HasSubstr(":1: field time is missing"));
  EXPECT_THROW(read_replay_input("/does/not/exist", {}), std::runtime_error);
}

}  // namespace
}  // namespace surtitle
