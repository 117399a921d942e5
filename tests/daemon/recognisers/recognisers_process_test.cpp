// `surtitle pipe` as a process with the output of recognisers, and a real daemon on a scripted
// translator.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "tests/daemon/recognisers/recogniser_server.h"
#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/test_client.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::vector<std::string> pipe_to(const DaemonProcess& daemon,
                                 const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"pipe", "--url", url_of(daemon)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string recorded(const std::string& name) {
  std::ifstream file(SURTITLE_SOURCE_DIR "/tests/data/recognisers/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Piped {
  std::string format;
  std::string file;
  std::string translation;
};

std::ostream& operator<<(std::ostream& out, const Piped& piped) { return out << piped.file; }

class PipedFormat : public ::testing::TestWithParam<Piped> {};

TEST_P(PipedFormat, IsTranslatedToItsLastWord) {
  const DaemonProcess daemon;
  const Ended named =
      CommandProcess::run(pipe_to(daemon, {"--format", GetParam().format, "--output", "text"}),
                          recorded(GetParam().file));
  EXPECT_EQ(named.out, GetParam().translation);
  EXPECT_EQ(named.exit_code, 0) << named.err;
  const Ended found =
      CommandProcess::run(pipe_to(daemon, {"--format", "auto"}), recorded(GetParam().file));
  EXPECT_EQ(found.out, GetParam().translation);
  const std::string notice = "surtitle pipe: standard input was recognised as " +
                             GetParam().format + "; --format overrides this\n";
  EXPECT_THAT(found.err, StartsWith(GetParam().format == "text" ? "" : notice));
}

std::string name_of(const ::testing::TestParamInfo<Piped>& piped) {
  return piped.param.file.substr(0, piped.param.file.find('.'));
}

INSTANTIATE_TEST_SUITE_P(
    Recognisers, PipedFormat,
    ::testing::Values(
        Piped{"text", "text.txt", "GUTEN MORGEN, MEINE DAMEN UND\nHERREN.\nGRüß GOTT\n"},
        Piped{"jsonl", "json_lines.jsonl", "GUTEN MORGEN\nMEINE DAMEN UND HERREN\nVIELEN DANK\n"},
        Piped{"vosk", "vosk.json",
              "GUTEN MORGEN MEINE DAMEN UND HERREN\nICH FREUE MICH\nVIELEN DANK\n"},
        Piped{"whisper-streaming", "whisper_streaming.txt",
              "GUTEN MORGEN, MEINE DAMEN UND HERREN.\n2024 WAR EIN GUTES JAHR.\n"},
        Piped{"whisper-streaming", "whisper_streaming_spaces.txt",
              "GUTEN MORGEN, MEINE DAMEN UND HERREN.\n"},
        Piped{"whisper-streaming-server", "whisper_streaming_server.bin",
              "GUTEN MORGEN, MEINE DAMEN UND HERREN.\nUND\n"},
        Piped{"simulstreaming", "simulstreaming.jsonl",
              "GUTEN MORGEN, MEINE DAMEN UND HERREN\nVIELEN DANK\n"},
        Piped{"simulstreaming", "simulstreaming_server.jsonl",
              "GUTEN MORGEN, MEINE DAMEN UND HERREN.\n"},
        Piped{"whisper-cpp", "whisper_cpp_steps.txt",
              "GUTEN MORGEN, MEINE DAMEN UND HERREN.\nICH FREUE MICH\n"},
        Piped{"whisper-cpp", "whisper_cpp_vad.txt",
              "GUTEN MORGEN, MEINE DAMEN\nUND HERREN, ICH FREUE\nMICH SEHR.\nSEHR GUT!\n"},
        Piped{"sherpa-onnx", "sherpa_onnx_cpp.txt",
              "GUTEN MORGEN MEINE DAMEN\nICH FREUE\nVIELEN \"DANK\"\n"},
        Piped{"sherpa-onnx", "sherpa_onnx_python.txt",
              "GUTEN MORGEN MEINE\nICH FREUE MICH\nVIELEN DANK\n"},
        Piped{"pocketsphinx", "pocketsphinx_live.jsonl", "WHERE IS THE HOUSE\nSHE HAS A NEW CAR\n"},
        Piped{"google", "google.json",
              "GUTEN MORGEN MEINE DAMEN UND HERREN\nICH FREUE MICH\nSEHR\n"},
        Piped{"deepgram", "deepgram.jsonl",
              "GUTEN MORGEN MEINE DAMEN UND HERREN\nICH FREUE\nVIELEN DANK\n"},
        Piped{"subtitles", "subtitles.srt", "GUTEN MORGEN, MEINE DAMEN\nUND HERREN.\nDANKE.\n"},
        Piped{"assemblyai", "assemblyai.jsonl",
              "GUTEN MORGEN MEINE DAMEN\nICH FREUE MICH.\nVIELEN DANK\n"},
        Piped{"whisper-live", "whisper_live.jsonl",
              "GUTEN MORGEN, MEINE DAMEN UND HERREN.\nICH FREUE MICH SEHR.\nVIELEN DANK.\n"},
        Piped{"openai-realtime", "openai_realtime.jsonl",
              "GUTEN MORGEN, MEINE DAMEN.\nUND HERREN.\nICH FREUE MICH.\n"},
        Piped{"azure", "azure.jsonl", "GUTEN MORGEN MEINE DAMEN\nICH FREUE MICH.\n"},
        Piped{"aws-transcribe", "aws_transcribe.jsonl",
              "GUTEN MORGEN, MEINE DAMEN.\nICH FREUE MICH.\n"},
        Piped{"speechmatics", "speechmatics.jsonl", "GUTEN MORGEN, MEINE DAMEN.\nVIELEN DANK\n"},
        Piped{"gladia", "gladia.jsonl", "GUTEN MORGEN, MEINE DAMEN.\nICH FREUE MICH.\n"}),
    name_of);

// Returns the text of the only line of WhisperLiveKit's last state.
std::string last_line_of(const std::string& states) {
  constexpr std::string_view kField = "\"text\": \"";
  const std::size_t begin = states.rfind(kField) + kField.size();
  return states.substr(begin, states.find('"', begin) - begin);
}

TEST(PipeRecogniser, TranslatesWhisperLiveKitInBothOfItsModes) {
  const DaemonProcess daemon;
  const std::string states = recorded("whisperlivekit.jsonl");
  const Ended words = CommandProcess::run(pipe_to(daemon, {}), last_line_of(states));
  EXPECT_THAT(words.out, StartsWith("GUTEN ABEND!\nMEINE DAMEN UND HERREN.\n"));
  EXPECT_EQ(words.err, "");
  for (const std::string& input : {states, recorded("whisperlivekit_diff.jsonl")}) {
    const Ended ended = CommandProcess::run(pipe_to(daemon, {}), input);
    EXPECT_EQ(ended.out, words.out);
    EXPECT_EQ(ended.err,
              "surtitle pipe: standard input was recognised as whisperlivekit; --format overrides "
              "this\n");
    EXPECT_EQ(ended.exit_code, 0);
  }
}

TEST(PipeRecogniser, SkipsAnInvalidMessageAndNamesIt) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      pipe_to(daemon, {"--format", "vosk", "--source-form", "spoken"}),
      "{\"text\": \"gut\"}\n{\"partial\": 7}\nALSA lib x\n{\"text\": \"das ist\"}");
  EXPECT_EQ(ended.out, "GUT\nDAS IST\n");
  EXPECT_THAT(ended.err, HasSubstr("surtitle pipe: standard input:2: message 2: field 'partial' of "
                                   "vosk must be text; it is skipped\n"));
  EXPECT_THAT(ended.err, HasSubstr("surtitle pipe: standard input: skipped in total: 2 lines or "
                                   "messages\n"));
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(PipeRecogniser, FailsIfItsInputCannotBeReadFromItsBeginning) {
  const DaemonProcess daemon;
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    lines += "hello\n";
  }
  const Ended ended = CommandProcess::run(pipe_to(daemon, {"--format", "vosk"}), lines);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("none of the first 20 lines or messages can be read"));
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(PipeRecogniser, TranslatesWordsOfVoskAsSpokenUnlessToldOtherwise) {
  const DaemonProcess daemon;
  const std::string input = "{\"text\": \"gut\"}{\"text\": \"so\"}";
  const Ended implied = CommandProcess::run(pipe_to(daemon, {"--format", "vosk"}), input);
  EXPECT_EQ(implied.out, "GUT\nSO\n");
  EXPECT_THAT(implied.err, HasSubstr("have no case and punctuation and are translated as spoken; "
                                     "--source-form overrides this\n"));
  const Ended given =
      CommandProcess::run(pipe_to(daemon, {"--format", "vosk", "--source-form", "written"}), input);
  EXPECT_EQ(given.out, "GUT\nSO\n");
  EXPECT_THAT(given.err, IsEmpty());
}

TEST(PipeRecogniser, LeavesOutMarksUnlessTheyAreShown) {
  const DaemonProcess daemon;
  const std::string input = "[Applaus] Guten Tag äh ja.\n";
  EXPECT_EQ(CommandProcess::run(pipe_to(daemon, {}), input).out, "GUTEN TAG JA.\n");
  EXPECT_EQ(CommandProcess::run(pipe_to(daemon, {"--keep", "marks,hesitations"}), input).out,
            "[applause]\nGUTEN TAG äH JA.\n");
  EXPECT_EQ(CommandProcess::run(pipe_to(daemon, {"--keep", "marks"}),
                                "Danke (leise Musik) und [BLANK_AUDIO] gut.\n")
                .out,
            "DANKE\n[leise Musik]\nUND GUT.\n");
  EXPECT_EQ(CommandProcess::run(pipe_to(daemon, {"--keep", "marks", "--format", "vosk"}),
                                R"({"text": "danke [Applaus] und gut"})")
                .out,
            "DANKE\n[applause]\nUND GUT\n");
}

TEST(PipeRecogniser, RefusesABinaryFileInOneLine) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(pipe_to(daemon, {}), std::string("RIFF\x24\x08\0\0WAVEfmt ", 16));
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err,
            "surtitle pipe: standard input: the input is a WAV or AVI file; allowed: text in UTF-8 "
            "or UTF-16\n");
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(PipeRecogniser, ReadsSherpaOnnxProgramsForATerminal) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      pipe_to(daemon, {}), "Started! Please speak\n\r0:guten\x1b[2K\r\r0:guten tag\n\r\r1:ja");
  EXPECT_EQ(ended.out, "GUTEN TAG\nJA\n");
  EXPECT_THAT(ended.err, HasSubstr("recognised as sherpa-onnx;"));
  const Ended unreadable =
      CommandProcess::run(pipe_to(daemon, {"--format", "sherpa-onnx"}), "guten\rguten tag\r");
  EXPECT_THAT(unreadable.err, HasSubstr("nothing of the input can be read"));
  EXPECT_EQ(unreadable.exit_code, 1);
}

TEST(PipeRecogniser, CountsSentencesThatAreTooLong) {
  const DaemonProcess daemon({"--sentence-words", "3"});
  const Ended ended = CommandProcess::run(pipe_to(daemon, {}), "a1 b2 c3 d4 e5 f6 g7 h8 i9\n");
  EXPECT_THAT(ended.err, MatchesRegex("surtitle pipe: sentence [0-9]+ is longer than .*\n"
                                      "surtitle pipe: too long and divided: [0-9]+ sentences\n"));
}

TEST(PipeRecogniser, TranslatesAHypothesisAtOnceIfOneIsEnough) {
  const DaemonProcess daemon;
  CommandProcess pipe(pipe_to(daemon, {"--format", "vosk", "--agreement", "1"}));
  pipe.write("{\"partial\": \"gut so\"}");
  EXPECT_EQ(pipe.read(3), "GUT");
  EXPECT_EQ(pipe.wait().out, " SO\n");
}

TEST(PipeRecogniser, TranslatesARefreshOfWhisperCppBeforeTheNextOne) {
  const DaemonProcess daemon;
  CommandProcess pipe(pipe_to(daemon, {"--format", "whisper-cpp", "--agreement", "1"}));
  pipe.write("[Start speaking]\n\x1b[2K\r gut so");
  EXPECT_EQ(pipe.read(3), "GUT");
  EXPECT_EQ(pipe.wait().out, " SO\n");
}

TEST(PipeRecogniser, CountsRevisionsWithoutApplyingThem) {
  const DaemonProcess daemon;
  const std::string input =
      "{\"partial\": \"das ist gut\"}{\"partial\": \"das ist gut so\"}"
      "{\"partial\": \"dass isst gut so\"}{\"text\": \"dass isst gut so\"}";
  const Ended ended =
      CommandProcess::run(pipe_to(daemon, {"--format", "vosk", "--source-form", "written"}), input);
  EXPECT_EQ(ended.out, "DAS IST GUT SO\n");
  EXPECT_EQ(ended.err,
            "surtitle pipe: the recogniser changed 2 words after the commit; the translation is "
            "unchanged\n");
  EXPECT_EQ(ended.exit_code, 0);
  const Ended lines =
      CommandProcess::run(pipe_to(daemon, {"--format", "vosk", "--output", "jsonl"}), input);
  EXPECT_THAT(lines.out, HasSubstr(R"({"type":"revision","sentence":0,"committed":"das ist",)"
                                   R"("heard":"dass isst")"));
}

TEST(PipeRecogniser, WritesRowsForConsumersOfSimulStreaming) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(pipe_to(daemon, {"--format", "jsonl", "--output", "simulstreaming"}),
                          "{\"text\": \"Guten Morgen.\", \"time\": 1.5}\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::string text;
  bool is_final = false;
  for (std::string line; std::getline(lines, line);) {
    const boost::json::value row = boost::json::parse(line);
    EXPECT_FALSE(is_final);
    EXPECT_GE(row.at("emission_time").to_number<double>(), 0);
    EXPECT_EQ(row.at("end").to_number<double>(), 1.5);
    EXPECT_EQ(row.at("status"), "COMPLETE");
    EXPECT_EQ(row.at("unconfirmed_text"), "");
    text += row.at("text").as_string().c_str();
    is_final = row.at("is_final").as_bool();
  }
  EXPECT_EQ(text, " GUTEN MORGEN.");
  EXPECT_TRUE(is_final);
  // Consumers of SimulStreaming accept these rows, and so does `surtitle pipe` itself.
  EXPECT_EQ(CommandProcess::run(pipe_to(daemon, {"--format", "auto"}), ended.out).out,
            "GUTEN MORGEN.\n");
}

TEST(PipeRecogniser, SendsTheTimesOfTheSourceToTheChannel) {
  const DaemonProcess daemon;
  TestClient viewer(daemon.port(), "/v1/channels/main");
  CommandProcess::run(pipe_to(daemon, {"--format", "vosk", "--channel", "main"}),
                      R"({"text": "gut", "result": [{"word": "gut", "start": 1, "end": 1.25}]})");
  EXPECT_EQ(viewer.read_until("source").at("time").to_number<double>(), 1.25);
}

TEST(PipeRecogniser, ReadsTheMessagesOfAServer) {
  const DaemonProcess daemon;
  RecogniserServer server;
  CommandProcess pipe(
      pipe_to(daemon, {"--format", "auto", "--from", server.url() + "/ws/asr?language=de"}));
  EXPECT_EQ(server.accept(), "/ws/asr?language=de");
  server.send("{\n  \"partial\" : \"guten\"\n}");
  server.send("{\n  \"partial\" : \"guten mor\"\n}");
  EXPECT_EQ(pipe.read(5), "GUTEN");  // while the connection is open
  server.send("{\"text\" : \"guten morgen\"}");
  EXPECT_EQ(pipe.read(8), " MORGEN\n");
  server.send("{\"partial\" : \"bis bald\"}");
  server.close();
  const Ended ended = pipe.wait();
  EXPECT_EQ(ended.out, "BIS BALD\n");
  EXPECT_THAT(ended.err, StartsWith("surtitle pipe: " + server.url() +
                                    "/ws/asr?language=de was recognised as vosk;"));
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(PipeRecogniser, ReconnectsToALostServerAndReportsIt) {
  const DaemonProcess daemon;
  RecogniserServer server;
  CommandProcess pipe(
      pipe_to(daemon, {"--format", "vosk", "--source-form", "written", "--from", server.url()}));
  EXPECT_EQ(server.accept(), "/");
  server.send("{\"partial\" : \"guten morgen\"}");
  server.cut();
  EXPECT_EQ(pipe.read(13), "GUTEN MORGEN\n");  // the sentence ends with its connection
  EXPECT_EQ(server.accept(), "/");
  server.send("{\"text\" : \"bis bald\"}");
  EXPECT_EQ(pipe.read(9), "BIS BALD\n");
  server.close();
  const Ended ended = pipe.wait();
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, MatchesRegex("surtitle pipe: the connection to " + server.url() +
                                      " was lost: [^\n]*; retrying until [^\n]*\n"
                                      "surtitle pipe: the connection to " +
                                      server.url() + " was restored; [^\n]*\n"));
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(PipeRecogniser, InterruptEndsItsInputWhileAServerIsAway) {
  const DaemonProcess daemon;
  auto server = std::make_unique<RecogniserServer>();
  CommandProcess pipe(pipe_to(daemon, {"--from", server->url()}));
  server->accept();
  server->send("Guten Morgen.");
  EXPECT_EQ(pipe.read(13), "GUTEN MORGEN.");
  server.reset();
  pipe.signal(SIGINT);
  EXPECT_EQ(pipe.read(10), "\n");
  const Ended ended = pipe.wait();
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(PipeRecogniser, InterruptEndsItsInputWhileAServerIsSilent) {
  const DaemonProcess daemon;
  RecogniserServer server;
  CommandProcess pipe(pipe_to(daemon, {"--from", server.url()}));
  server.accept();
  server.send("Guten Morgen");
  EXPECT_EQ(pipe.read(12), "GUTEN MORGEN");
  pipe.signal(SIGINT);
  EXPECT_EQ(pipe.read(10), "\n");
  const Ended ended = pipe.wait();
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(PipeRecogniser, FailsWithoutAServer) {
  const DaemonProcess daemon;
  std::string url;
  {
    const RecogniserServer gone;
    url = gone.url();
  }
  const Ended refused = CommandProcess::run(pipe_to(daemon, {"--from", url}));
  EXPECT_EQ(refused.err, "surtitle pipe: cannot connect to " + url +
                             ": Connection refused; is a recogniser running there?\n");
  EXPECT_EQ(refused.exit_code, 1);
  const Ended other = CommandProcess::run(pipe_to(daemon, {"--from", url_of(daemon) + "/nowhere"}));
  EXPECT_THAT(other.err,
              AllOf(StartsWith("surtitle pipe: cannot open a WebSocket at "), HasSubstr("404")));
  EXPECT_EQ(other.exit_code, 1);
}

}  // namespace
}  // namespace surtitle
