// Lines and messages that are not of the format are skipped, in every format.
#include <gmock/gmock.h>

#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kAlsa = "ALSA lib pcm.c:8568:(snd_pcm_recover) underrun occurred\n";

struct Stream {
  std::string format;
  std::string first;
  std::string second;
  std::vector<std::string> heard;
};

const std::vector<Stream>& streams() {
  static const std::vector<Stream> all{
      {"jsonl", "{\"text\": \"eins\"}\n", "{\"text\": \"zwei\"}\n", {"eins", "zwei"}},
      {"vosk",
       "{\n  \"text\" : \"eins\"\n}\n",
       "{\n  \"text\" : \"zwei\"\n}\n",
       {"=eins", "=zwei"}},
      {"whisper-streaming", "1.0 0 100 eins\n", "2.0 100 200 zwei\n", {"eins@0.1", "zwei@0.2"}},
      {"whisper-streaming-server", "0 100 eins\n", "100 200 zwei\n", {"eins@0.1", "zwei@0.2"}},
      {"simulstreaming",
       "{\"text\": \" eins\", \"end\": 1}\n",
       "{\"text\": \" zwei\", \"end\": 2}\n",
       {"eins@1", "zwei@2"}},
      {"whisper-cpp", "[Start speaking]\n eins\n", " zwei\n", {"+eins", "+zwei"}},
      {"sherpa-onnx",
       "{\"text\": \"eins\", \"segment\": 0, \"is_final\": true}\n",
       "{\"text\": \"zwei\", \"segment\": 0, \"is_final\": true}\n",
       {"=eins", "=zwei"}},
      {"pocketsphinx", "eins\n", "zwei\n", {"=eins", "=zwei"}},
      {"google",
       "{\"results\": [{\"alternatives\": [{\"transcript\": \"eins\"}], \"isFinal\": true}]}\n",
       "{\"results\": [{\"alternatives\": [{\"transcript\": \"zwei\"}], \"isFinal\": true}]}\n",
       {"=eins", "=zwei"}},
      {"deepgram",
       "{\"type\": \"Results\", \"is_final\": true, \"speech_final\": true, \"channel\": "
       "{\"alternatives\": [{\"transcript\": \"eins\"}]}}\n",
       "{\"type\": \"Results\", \"is_final\": true, \"speech_final\": true, \"channel\": "
       "{\"alternatives\": [{\"transcript\": \"zwei\"}]}}\n",
       {"=eins", "=zwei"}},
      {"assemblyai",
       "{\"type\": \"Turn\", \"turn_order\": 0, \"end_of_turn\": true, \"transcript\": \"eins\"}\n",
       "{\"type\": \"Turn\", \"turn_order\": 1, \"end_of_turn\": true, \"transcript\": \"zwei\"}\n",
       {"=eins", "=zwei"}},
  };
  return all;
}

bool has_objects(const Stream& stream) { return stream.first.starts_with('{'); }

TEST(SkippedInput, OfEveryFormatIsSaidOnceAndCounted) {
  for (const Stream& stream : streams()) {
    Hearing hearing(stream.format);
    std::vector<std::string> heard =
        hearing.feed(stream.first + kAlsa + kAlsa + stream.second + kAlsa);
    for (const std::string& last : hearing.finish()) {
      heard.push_back(last);
    }
    EXPECT_EQ(heard, stream.heard) << stream.format;
    EXPECT_THAT(hearing.notes,
                ElementsAre(HasSubstr("'ALSA lib pcm.c:8568:(snd_pcm_recover) underrun"),
                            "the input: skipped in total: 3 lines or messages"))
        << stream.format;
  }
}

TEST(SkippedInput, IsForGoodAfterTheFirstMessage) {
  for (const Stream& stream : streams()) {
    std::string bytes = stream.first;
    for (int i = 0; i < 100; ++i) {
      bytes += kAlsa;
    }
    EXPECT_EQ(hear(stream.format, bytes + stream.second), stream.heard) << stream.format;
  }
}

TEST(SkippedInput, EndsAnInputThatCannotBeReadFromItsBeginning) {
  for (const Stream& stream : streams()) {
    if (stream.format == "whisper-cpp" || stream.format == "pocketsphinx") {
      continue;  // each line is text
    }
    const std::string unreadable =
        stream.format == "jsonl" ? "{\"text\": 3}\n" : "no line of a format\n";
    std::string bytes;
    for (int i = 0; i < 19; ++i) {
      bytes += unreadable;
    }
    EXPECT_EQ(hear(stream.format, bytes + stream.first + stream.second), stream.heard)
        << stream.format;
    EXPECT_THAT(Hearing(stream.format).failure(bytes + unreadable + stream.first),
                AllOf(StartsWith("the input:2"), HasSubstr("none of the first 20 lines")))
        << stream.format;
  }
}

TEST(SkippedInput, IsAnErrorIfNothingCanBeRead) {
  EXPECT_EQ(Hearing("vosk").failure("guten\nmorgen\n"),
            "the input:1: the line 'guten' is not a JSON object; nothing of the input can be read");
  EXPECT_EQ(Hearing("vosk").failure(kAlsa), "");
}

TEST(SkippedInput, LeavesTheMessagesAroundABrokenOneAlone) {
  for (const Stream& stream : streams()) {
    if (!has_objects(stream) || stream.format == "jsonl") {
      continue;
    }
    for (const std::string broken :
         {"{\"text\": \n", "{\"text\": \"gut\n", "{}}\n", "{\"a\" 3}\n", "nonsense {\"a\": 1}\n",
          "{\n", "}\n", "{\"a\": [}\n", "{\"words\": 3}\n", "[1, 2]\n", "\"text\"\n", "Done!\n"}) {
      EXPECT_EQ(hear(stream.format, stream.first + broken + stream.second), stream.heard)
          << stream.format << " " << broken;
    }
  }
}

TEST(SkippedInput, InTheMiddleOfAnObjectDoesNotEndIt) {
  EXPECT_THAT(hear("vosk", std::string("{\n  \"text\" :\n") + kAlsa + " \"eins\"\n}\n"),
              ElementsAre("=eins"));
}

TEST(SkippedInput, OfTheRecognisersOwnProgramIsNotMentioned) {
  const std::string rule(80, '#');
  Hearing vosk("vosk");
  EXPECT_THAT(vosk.feed(rule + "\nPress Ctrl+C to stop the recording\n" + rule +
                        "\n{\n  \"text\" : \"eins\"\n}\n\nDone\n"),
              ElementsAre("=eins"));
  EXPECT_THAT(vosk.finish(), IsEmpty());
  EXPECT_THAT(vosk.notes, IsEmpty());
  Hearing pocketsphinx("pocketsphinx");
  EXPECT_THAT(pocketsphinx.feed("READY....\nListening...\n"
                                "Stopped listening, please wait...\n000000000: where is it\n"
                                "READY....\nListening...\n000000001: \nREADY....\n"),
              ElementsAre("=where is it"));
  EXPECT_THAT(pocketsphinx.finish(), IsEmpty());
  EXPECT_THAT(pocketsphinx.notes, IsEmpty());
}

TEST(SkippedInput, BeforeTheFirstMessageDoesNotHideTheFormat) {
  const std::string rule(80, '#');
  Hearing vosk("auto");
  EXPECT_THAT(vosk.feed(rule + "\nPress Ctrl+C to stop the recording\n" + rule +
                        "\n{\n  \"partial\" : \"eins\"\n}\n{\n  \"text\" : \"eins\"\n}\n\nDone\n"),
              ElementsAre("~eins", "=eins"));
  EXPECT_THAT(vosk.notes, ElementsAre(HasSubstr("was recognised as vosk;")));
  Hearing library("auto");
  EXPECT_THAT(library.feed(std::string(kAlsa) + "WARNING (VoskAPI:x) y\n{\"partial\": \"eins\"}"),
              ElementsAre("~eins"));
  Hearing unknown("auto");
  EXPECT_THAT(unknown.feed("{\"status\": \"ready\"}\n{\"partial\": \"eins\"}"),
              ElementsAre("~eins"));
  Hearing sphinx("auto");
  EXPECT_THAT(sphinx.feed("READY....\nwhere is it\nREADY....\n"), ElementsAre("=where is it"));
}

TEST(SkippedInput, OfWhisperCppsErrorOutputIsLeftOut) {
  EXPECT_THAT(hear("whisper-cpp",
                   "whisper_init_from_file: loading model\n[Start speaking]\n Guten Tag\n"
                   "whisper_print_timings:     load time =   1.0 ms\n"),
              ElementsAre("+Guten Tag"));
  EXPECT_THAT(hear("whisper-cpp",
                   "### Transcription 0 START | t0 = 0 ms | t1 = 3000 ms\n"
                   "[00:00:00.000 --> 00:00:01.500]   Guten Tag\nmain: something\n"
                   "### Transcription 0 END\n"),
              ElementsAre("Guten@1.5", "Tag@1.5", "."));
}

TEST(SkippedInput, AcceptsNullAndEmptyLists) {
  EXPECT_THAT(hear("vosk", R"({"partial": null} {"text": null} {"alternatives": []})"
                           R"({"alternatives": null} {"text": NaN} {"text": "gut"})"),
              ElementsAre("=gut"));
  EXPECT_THAT(hear("google", R"({"results": null}{"results": []}{"results": [{}]})"
                             R"({"results": [{"alternatives": [], "isFinal": true}]})"),
              IsEmpty());
  EXPECT_THAT(hear("sherpa-onnx", R"({"text": null, "segment": 0}{"text": "a", "segment": null})"),
              ElementsAre("~a", "=a"));
  EXPECT_THAT(hear("assemblyai", R"({"type": "Turn", "turn_order": 0, "transcript": null})"),
              IsEmpty());
  EXPECT_THAT(hear("simulstreaming", R"({"text": null, "end": null})"), IsEmpty());
  EXPECT_THAT(hear("pocketsphinx", "{\"b\": 1, \"d\": 1, \"t\": null}\n"), IsEmpty());
  EXPECT_THAT(hear("jsonl", "{\"text\": null, \"time\": null}\n"), IsEmpty());
  EXPECT_THAT(hear("deepgram", R"({"type": "Results", "is_final": true, "start": NaN,)"
                               R"("channel": {"alternatives": []}})"),
              IsEmpty());
}

TEST(SkippedInput, IsNotAMessageOfAnErrorThatTheRecogniserSurvives) {
  Hearing hearing("google");
  EXPECT_THAT(hearing.feed(R"({"error": {"message": "Audio Timeout Error"}})"
                           R"({"results": [{"alternatives": [{"transcript": "a"}]}]})"),
              ElementsAre("~a"));
  EXPECT_THAT(hearing.notes, ElementsAre("the input:1: message 1: google reports an error: "
                                         "'Audio Timeout Error'"));
  EXPECT_THAT(hearing.finish(), ElementsAre("=a"));
}

TEST(CleanText, OfEveryFormatHasNoEscapesAndNoLoneSurrogates) {
  EXPECT_THAT(hear("vosk", "{\"text\": \"\\u001b[31mgut\\u001b[0m\\u0000 so\\ud83d\"}"),
              ElementsAre("=gut so\uFFFD"));
  EXPECT_THAT(hear("vosk", "{\"text\": \"gu\\rguten tag\"}"), ElementsAre("=guten tag"));
  EXPECT_THAT(hear("vosk", "\x1b[1m{\x1b[0m\"text\": \x1b[32m\"gut\"\x1b[0m}"),
              ElementsAre("=gut"));
  EXPECT_THAT(hear("jsonl", "{\"text\": \"gut\\ud83d\", \"time\": NaN}\n"),
              ElementsAre("gut\uFFFD"));
  EXPECT_THAT(hear("jsonl", "{\"text\": \"grün\xFF\"}\n"), ElementsAre("grün\uFFFD"));
  EXPECT_THAT(hear("text", "\x1b[32mguten\x1b[0m tag\n"), ElementsAre("guten", "tag"));
  EXPECT_THAT(hear("pocketsphinx", "\x1b[32mwhere is it\x1b[0m\n"), ElementsAre("=where is it"));
  EXPECT_THAT(hear("whisper-streaming", "Loading 10%\rLoading 99%\r1.0 0 100 gut\n"),
              ElementsAre("gut@0.1"));
  EXPECT_THAT(hear("vosk", "Loading 10%\rLoading 99%\r{\"text\": \"gut\"}"), ElementsAre("=gut"));
}

TEST(TextFormat, TreatsALineThatIsDrawnAgainAsAHypothesis) {
  EXPECT_THAT(hear("text", "guten\rguten mor\rguten morgen alle\nund\n"),
              ElementsAre("~guten mor", "+guten morgen alle", "+und"));
  EXPECT_THAT(hear("text", "guten mor\rguten morgen\n"), ElementsAre("guten", "+morgen"));
  EXPECT_THAT(hear("text", "guten\x1b[2K\rguten morgen\n\nund\n"),
              ElementsAre("+guten morgen", ".", "+und"));
  EXPECT_THAT(hear("text", "eins\r\nzwei\r\n\r\n"), ElementsAre("eins", "zwei", "."));
}

TEST(TextFormat, RefusesBinaryData) {
  EXPECT_EQ(Hearing("text").failure("RIFF\x24\x08WAVE"),
            "the input: the input is a WAV or AVI file; allowed: text in UTF-8 or UTF-16");
}

// --- forms ---

std::vector<TextForm> forms(std::string_view format, std::string_view bytes) {
  Hearing hearing(format);
  hearing.feed(bytes);
  hearing.finish();
  return hearing.forms;
}

TEST(SourceForm, OfRecognisersWithoutCaseAndPunctuationIsSpoken) {
  EXPECT_THAT(forms("vosk", R"({"text": "gut"})"), ElementsAre(TextForm::kSpoken));
  EXPECT_THAT(forms("auto", R"({"partial": "gut"})"), ElementsAre(TextForm::kSpoken));
  EXPECT_THAT(forms("pocketsphinx", "where is it\n"), ElementsAre(TextForm::kSpoken));
  EXPECT_THAT(forms("whisper-streaming", "1.0 0 100 gut\n"), IsEmpty());
  EXPECT_THAT(forms("text", "gut\n"), IsEmpty());
}

TEST(SourceForm, IsDetectedIfItDependsOnTheModel) {
  const auto sherpa = [](const std::string& text) {
    return "{\"text\": \"" + text + "\", \"segment\": 0}";
  };
  EXPECT_THAT(forms("sherpa-onnx", sherpa("GUTEN") + sherpa("GUTEN MORGEN MEINE")),
              ElementsAre(TextForm::kSpoken));
  EXPECT_THAT(forms("sherpa-onnx", sherpa("guten morgen meine") + sherpa("guten morgen meine d")),
              ElementsAre(TextForm::kSpoken));
  EXPECT_THAT(forms("sherpa-onnx", sherpa("Guten") + sherpa("Guten Morgen alle")), IsEmpty());
  EXPECT_THAT(forms("sherpa-onnx", sherpa("ich freue mich") + sherpa("ich freue mich, Herr")),
              ElementsAre(TextForm::kSpoken, TextForm::kWritten));
}

// --- repetitions ---

TEST(Repetition, OfAFinalTextWithTheSameTimeIsTheSameAudio) {
  const std::string timed = R"({"text": "ja", "result": [{"word": "ja", "end": 1.5}]})";
  EXPECT_THAT(hear("vosk", timed + timed), ElementsAre("=ja@1.5"));
  EXPECT_THAT(hear("vosk", R"({"text": "ja"}{"text": "ja"})"), ElementsAre("=ja", "=ja"));
}

TEST(Repetition, OfTheLastFinalTextAsAHypothesisIsItsEcho) {
  EXPECT_THAT(hear("vosk", R"({"text": "guten tag"}{"partial": "guten tag"}{"partial": "wie"})"),
              ElementsAre("=guten tag", "~wie", "=wie"));
  EXPECT_THAT(hear("vosk", R"({"text": "ja"}{"partial": "ja"}{"partial": "ja gut"})"),
              ElementsAre("=ja", "~ja gut", "=ja gut"));
  EXPECT_THAT(hear("vosk", R"({"text": "ja"}{"partial": "ja"}{"text": "ja"})"),
              ElementsAre("=ja", "=ja"));
}

TEST(Repetition, OfWordsInOverlappingAudioIsLeftOut) {
  EXPECT_THAT(hear("whisper-streaming", "1.0 0 1000 ich sehe die\n2.0 800 1500 die Katze\n"),
              ElementsAre("ich@1", "sehe@1", "die@1", "Katze@1.5"));
  EXPECT_THAT(hear("whisper-streaming", "1.0 0 1000 ich sehe die\n2.0 980 1500 die Katze\n"),
              ElementsAre("ich@1", "sehe@1", "die@1", "die@1.5", "Katze@1.5"));
  EXPECT_THAT(hear("whisper-streaming", "1.0 0 1000 ja\n1.0 0 1000 ja\n"), ElementsAre("ja@1"));
  EXPECT_THAT(hear("whisper-cpp", " Ich sehe die\n die Katze\n"),
              ElementsAre("+Ich sehe die", "+Katze"));
}

TEST(SkippedInput, DoesNotFailAfterManyKnownMessages) {
  std::string messages;
  for (int i = 0; i < 100; ++i) {
    messages += kAlsa;
  }
  for (const Stream& stream : streams()) {
    EXPECT_EQ(hear(stream.format, messages + stream.first), hear(stream.format, stream.first))
        << stream.format;
  }
  EXPECT_THAT(hear("auto", messages + "{\"partial\": \"eins\"}\n"), ElementsAre("~eins", "=eins"));
  EXPECT_THAT(hear("auto", "{\"text\": \"\"}\n" + messages + "{\"partial\": \"eins\"}\n"),
              ElementsAre("~eins", "=eins"));
}

}  // namespace
}  // namespace surtitle
