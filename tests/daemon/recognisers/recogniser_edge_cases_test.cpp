// Output of recognisers that is easily misread, one test for each case.
#include <gmock/gmock.h>

#include "daemon/recognisers/word_overlap.h"
#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// --- text, jsonl ---

TEST(TextFormat, SendsAWordOnceTheSpaceAfterItHasArrived) {
  Hearing hearing("text");
  EXPECT_THAT(hearing.feed("Guten Morgen mei"), ElementsAre("Guten", "Morgen"));
  EXPECT_THAT(hearing.feed("ne"), IsEmpty());
  EXPECT_THAT(hearing.feed("\nDamen "), ElementsAre("meine", "Damen"));
  EXPECT_THAT(hearing.feed("\n\n\n"), ElementsAre("."));
  EXPECT_THAT(hearing.feed("und"), IsEmpty());
  EXPECT_THAT(hearing.finish(), ElementsAre("und"));
}

TEST(TextFormat, ReadsBytesThatOnlyBeginLikeAByteOrderMark) {
  Hearing hearing("text");
  EXPECT_THAT(hearing.feed("\xEF\xBB"), IsEmpty());
  EXPECT_THAT(hearing.feed("a \xEF\xBB\xBF"), ElementsAre("ï»a"));
  EXPECT_THAT(hearing.finish(), IsEmpty());
  EXPECT_THAT(hear("text", "\xEF\xBB"), ElementsAre("ï»"));
  EXPECT_THAT(hear("text", "\xEF\xBB\xBF"), IsEmpty());
}

TEST(TextFormat, TakesByteOrderMarksForWhiteSpace) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_THAT(hear("text", mark + mark + "Das\n" + mark + "Haus." + mark + "Ja"),
              ElementsAre("Das", "Haus.", "Ja"));
  EXPECT_THAT(hear("auto", mark + mark + "{\"partial\":\"das\"}\n" + mark + "{\"text\":\"das\"}"),
              ElementsAre("~das", "=das"));
}

TEST(TextFormat, ReadsLinesThatEndInCarriageReturns) {
  EXPECT_THAT(
      hear("text", "Das Haus brennt.\rDie Feuerwehr kommt.\rAlle sind da.\rWir gehen.\r"),
      ElementsAre("Das", "Haus", "+brennt.", "~Die Feuerwehr kommt.", "+Die Feuerwehr kommt.",
                  "~Alle sind da.", "+Alle sind da.", "+Wir gehen."));
  EXPECT_THAT(hear("jsonl", "{\"text\":\"eins\"}\r{\"text\":\"zwei\"}\r"),
              ElementsAre("eins", "zwei"));
  EXPECT_THAT(hear("text", "Gutn\rGuten Mor\rGuten Morgen\n10 %\r20 %\rgut\n"),
              ElementsAre("~Guten Mor", "+Guten Morgen", "~10 %", "~20 %", "+20 %", "+gut"));
}

TEST(JsonLinesFormat, ReadsALineFeedThatArrivesAlone) {
  Hearing hearing("jsonl");
  hearing.feed("eins\rzwei");
  EXPECT_THAT(hearing.feed("\n"), ElementsAre("zwei"));
}

// Returns the first notice about these bytes, which ends the bytes before.
std::string notice(Hearing& hearing, std::string_view bytes) {
  const std::string failure = hearing.failure(bytes);
  EXPECT_TRUE(failure.empty() || failure.ends_with("; nothing of the input can be read"))
      << failure;
  return hearing.notes.empty() ? std::string() : hearing.notes.front();
}

TEST(JsonLinesFormat, NamesTheInvalidLineAndSkipsIt) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{\"txt\": \"x\"}\n", "the input:3: field text is missing"},
      {"{\"text\": 3}\n", "field text must be text"},
      {"{\"text\": \"a\", \"time\": -1}\n", "field time must be a number of seconds"},
      {"{\"text\": \"a\", \"final\": 1}\n", "field final must be true or false"},
      {"{\"text\": }\n", "the input:3: the line is not valid JSON"},
      {"{" + std::string(1U << 20U, ' '), "the input:3: the line is longer than 1048576 bytes"}};
  for (const auto& [line, message] : wrong) {
    Hearing hearing("jsonl");
    EXPECT_THAT(notice(hearing, "{\"text\": \"gut\"}\n\n" + line), HasSubstr(message));
    EXPECT_THAT(hearing.rest(), ElementsAre("gut", "."));
  }
}

TEST(JsonLinesFormat, ReadsObjectsInAnArrayAndAfterAPrefix) {
  EXPECT_THAT(
      hear("jsonl", "[{\"text\": \"a\", \"time\": 1},\n {\"text\": \"b\"},\n{\"text\": \"c\"}]\n"),
      ElementsAre("a@1", "b", "c"));
  EXPECT_THAT(hear("jsonl", "[{\"text\": \"a\"}, {\"text\": \"b\"}]\n"), ElementsAre("a", "b"));
  EXPECT_THAT(hear("jsonl",
                   "\uFEFF{\"text\": \"a\"}\ndata: {\"text\": \"b }\"}\n"
                   "2026-11-27 10:00:01 {\"text\": \"c\"}\r\n"),
              ElementsAre("a", "b", "}", "c"));
  EXPECT_THAT(hear("jsonl", "a {b} {\n"), ElementsAre("a", "{b}", "{"));
}

// --- vosk ---

TEST(Vosk, SendsNothingForEmptyText) {
  EXPECT_THAT(hear("vosk", R"({"text": ""} {"partial": ""} {"text": ""})"), IsEmpty());
}

TEST(Vosk, DropsAHypothesisThatBecameNothing) {
  EXPECT_THAT(hear("vosk", R"({"partial": "ne"} {"text": ""} {"partial": "gut"})"),
              ElementsAre("~ne", "=", "~gut", "=gut"));
}

TEST(Vosk, NamesTheInvalidMessageAndSkipsIt) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"({"partial": 3})", "the input:2: message 2: field 'partial' of vosk must be text"},
      {R"({"words": []})", "one of the fields partial, text and alternatives"},
      {R"({"text": "a", "result": [3]})", "field 'result' of vosk must be a list of objects"},
      {R"({"text": "a", "result": [{"end": "x"}]})", "field 'end' of a word must be a number"},
      {R"({"partial": "a)", "message 2 is incomplete"},
      {"partial", "the input:2: the line 'partial' is not a JSON object; it is skipped"}};
  for (const auto& [bytes, message] : wrong) {
    Hearing hearing("vosk");
    EXPECT_THAT(notice(hearing, "{\"partial\": \"gut\"}\n" + bytes), HasSubstr(message));
    EXPECT_THAT(hearing.rest(), ElementsAre("~gut", "=gut"));
  }
}

// --- whisper_streaming ---

TEST(WhisperStreaming, WaitsForTheRestOfAWordOnceSpacesSeparateWords) {
  Hearing hearing("whisper-streaming-server");
  EXPECT_THAT(hearing.feed("0 100  ask\n"), IsEmpty());
  EXPECT_THAT(hearing.feed("100 200 ing\n"), IsEmpty());
  EXPECT_THAT(hearing.feed("200 300 , and\n"), ElementsAre("asking,@0.3"));
  EXPECT_THAT(hearing.feed("300 400  so\n"), ElementsAre("and@0.3"));
  EXPECT_THAT(hearing.finish(), ElementsAre("so@0.4"));
}

TEST(WhisperStreaming, TreatsEachTextAsWholeWordsWithoutSpaces) {
  Hearing hearing("whisper-streaming");
  EXPECT_THAT(hearing.feed("6914.5501 1940 4940 If the debate\n"),
              ElementsAre("If@4.94", "the@4.94", "debate@4.94"));
  EXPECT_THAT(hearing.feed("9019.0277 5160 7160 the subject\r\n"),
              ElementsAre("the@7.16", "subject@7.16"));
}

TEST(WhisperStreaming, KeepsNumbersThatAreWords) {
  EXPECT_THAT(hear("whisper-streaming-server", "0 100 20 30 Leute\n"),
              ElementsAre("20@0.1", "30@0.1", "Leute@0.1"));
}

TEST(WhisperStreaming, NamesTheLineWithoutColumns) {
  Hearing hearing("whisper-streaming");
  EXPECT_EQ(notice(hearing, "1.0 2 3 gut\n100 200 Hallo Welt\n"),
            "the input:2: the line begins with '100 200 Hallo Welt'; expected a line such as "
            "'2691.4399 300 1380 Chairman, thank you.' with times in ms; it is skipped");
  EXPECT_THAT(hearing.rest(), ElementsAre("gut@0.003"));
}

// --- PocketSphinx ---

TEST(PocketSphinx, WaitsForTheTimesAfterALineUntilAPause) {
  Hearing hearing("pocketsphinx");
  EXPECT_THAT(hearing.feed("where is it\n"), IsEmpty());
  EXPECT_THAT(hearing.pause(), ElementsAre("=where is it"));
  EXPECT_THAT(hearing.feed("it is here\nit 1.0 1.5 0.9\n<sil> 1.5 2.0 1.0\n"), IsEmpty());
  EXPECT_THAT(hearing.finish(), ElementsAre("=it is here@1.5"));
}

TEST(PocketSphinx, NamesTheLineThatIsNoObject) {
  Hearing hearing("pocketsphinx");
  EXPECT_EQ(notice(hearing, "{\"b\":1,\"d\":1,\"t\":\"so\"}\n{\"b\":1,\n"),
            "the input:2: the line '{\"b\":1,' is not a JSON object; it is skipped");
  EXPECT_THAT(hearing.rest(), ElementsAre("=so@2"));
}

// --- SimulStreaming ---

TEST(SimulStreaming, EndsTheLastWordWhenTheVoiceEnds) {
  Hearing hearing("simulstreaming");
  EXPECT_THAT(hearing.feed(R"({"text": " And", "end": 1, "is_final": false})"), IsEmpty());
  EXPECT_THAT(hearing.feed(R"({"is_final": true, "emission_time": 3.06})"),
              ElementsAre("And@1", "."));
  EXPECT_THAT(hearing.feed(R"({"is_final": true, "emission_time": 3.06})"), IsEmpty());
}

TEST(SimulStreaming, SkipsRowsThatAreRepeated) {
  EXPECT_THAT(hear("simulstreaming",
                   R"({"status": "INCOMPLETE", "text": " So", "end": null, "is_final": false})"
                   R"({"status": "COMPLETE", "text": " So, gut", "end": null, "is_final": false})"),
              ElementsAre("So,", "gut"));
}

TEST(SimulStreaming, AcceptsRowsWithoutVoiceActivity) {
  EXPECT_THAT(hear("simulstreaming", R"({"start": 0.1, "end": 0.5, "text": " So gut"})"),
              ElementsAre("So@0.5", "gut@0.5"));
}

TEST(SimulStreaming, AcceptsRowsWithoutText) {
  EXPECT_THAT(hear("simulstreaming", R"({"text": " So", "end": 0.5, "is_final": false})"
                                     R"({"is_final": false})"
                                     R"({"text": "fort", "end": 0.9, "is_final": false})"),
              ElementsAre("Sofort@0.9"));
}

TEST(SimulStreaming, RequiresTextOrVoiceActivity) {
  Hearing hearing("simulstreaming");
  EXPECT_EQ(notice(hearing, R"({"emission_time": 1.5})"),
            "the input:1: message 1: field 'is_final' of simulstreaming is missing; it must be "
            "true or false; it is skipped");
}

// --- whisper.cpp ---

std::string refresh(const std::string& line) {
  return "\x1b[2K\r" + std::string(100, ' ') + "\x1b[2K\r" + line;
}

TEST(WhisperCpp, SendsARefreshAfterAPauseOrWhenTheNextOneBegins) {
  Hearing hearing("whisper-cpp");
  EXPECT_THAT(hearing.feed("[Start speaking]\n" + refresh(" Guten")), IsEmpty());
  EXPECT_THAT(hearing.pause(), ElementsAre("~Guten"));
  EXPECT_THAT(hearing.pause(), IsEmpty());
  EXPECT_THAT(hearing.feed(refresh(" Guten Morgen")), IsEmpty());
  EXPECT_THAT(hearing.feed(refresh(" Guten Morgen,")), ElementsAre("~Guten Morgen"));
  EXPECT_THAT(hearing.feed("\n"), ElementsAre("+Guten Morgen,"));
}

TEST(WhisperCpp, KeepsTheTextIfTheLastRefreshOfALineIsEmpty) {
  EXPECT_THAT(hear("whisper-cpp", refresh(" Guten") + refresh("") + "\n" + refresh(" Tag")),
              ElementsAre("~Guten", "+Guten", "~Tag", "=Tag"));
}

TEST(WhisperCpp, SkipsTextThatIsNoSpeech) {
  EXPECT_THAT(hear("whisper-cpp", refresh(" [BLANK_AUDIO]") + "\n" + refresh(" So [Mus")),
              ElementsAre("~So", "=So [Mus"));
}

TEST(WhisperCpp, TranslatesABlockThatIsCutOff) {
  EXPECT_THAT(hear("whisper-cpp",
                   "\n### Transcription 0 START | t0 = 1000 ms | t1 = 3000 ms\n\n"
                   "[00:00:00.000 --> 00:00:01.500]   Guten Tag"),
              ElementsAre("Guten@2.5", "Tag@2.5", "."));
}

TEST(WhisperCpp, SkipsWordsThatThePreviousBlockHad) {
  const std::string first =
      "### Transcription 0 START | t0 = 0 ms | t1 = 5000 ms\n"
      "[00:00:00.000 --> 00:00:05.000]   Das ist gut so\n### Transcription 0 END\n";
  const std::string again = "[00:00:00.000 --> 00:00:05.000]   Gut, so! Viel besser\n";
  EXPECT_THAT(hear("whisper-cpp",
                   first + "### Transcription 1 START | t0 = 3000 ms | t1 = 8000 ms\n" + again),
              ElementsAre("Das@5", "ist@5", "gut@5", "so@5", ".", "Viel@8", "besser@8", "."));
  // If the audio of the blocks does not overlap, the words were spoken twice.
  EXPECT_THAT(hear("whisper-cpp",
                   first + "### Transcription 1 START | t0 = 5000 ms | t1 = 9000 ms\n" + again),
              ElementsAre("Das@5", "ist@5", "gut@5", "so@5", ".", "Gut,@10", "so!@10", "Viel@10",
                          "besser@10", "."));
}

TEST(WordOverlap, CountsWordsWithoutCaseAndPunctuation) {
  EXPECT_EQ(repeated_words({"Das", "ist", "gut."}, {"Ist", "gut,", "so"}), 2U);
  EXPECT_EQ(repeated_words({"gut"}, {"so"}), 0U);
  EXPECT_EQ(repeated_words({}, {"so"}), 0U);
  EXPECT_EQ(repeated_words({"ja", "ja"}, {"ja", "ja", "ja"}), 2U);
}

// --- sherpa-onnx ---

TEST(SherpaOnnx, StartsAgainAfterAnEndpointOfTheSameSegment) {
  EXPECT_THAT(hear("sherpa-onnx", R"({"text":"a","segment":0,"is_final":true,"is_eof":false})"
                                  R"({"text":"","segment":0,"is_final":true,"is_eof":false})"
                                  R"({"text":"b","segment":0,"is_final":false,"is_eof":false})"),
              ElementsAre("=a", "~b", "=b"));
}

TEST(SherpaOnnx, AcceptsControlCharactersAndInvalidUtf8) {
  Hearing hearing("sherpa-onnx");
  EXPECT_THAT(hearing.feed("{\"text\":\"ü\nb \xE4\",\"segment\":0,\"ys_probs\":[-nan]}"),
              ElementsAre("~ü b \uFFFD"));
  EXPECT_EQ(hearing.replaced(), 1);
}

// --- Google ---

TEST(Google, AcceptsBothSpellingsAndBothVersions) {
  EXPECT_THAT(hear("google", R"({"results":[{"alternatives":[{"transcript":"a"}],"isFinal":true,)"
                             R"("resultEndTime":"1.5s"}]})"
                             R"({"results":[{"alternatives":[{"transcript":"b"}],"is_final":true,)"
                             R"("result_end_offset":{"seconds":"2","nanos":0}}]})"),
              ElementsAre("=a@1.5", "=b@2"));
}

TEST(Google, ReportsErrorsOfGoogle) {
  Hearing hearing("google");
  EXPECT_EQ(hearing.failure(R"({"error":{"code":11,"message":"Audio Timeout Error"}})"),
            "the input:1: message 1: google reports an error: 'Audio Timeout Error'");
}

TEST(Google, RejectsInvalidDurations) {
  Hearing hearing("google");
  EXPECT_THAT(notice(hearing, R"({"results":[{"resultEndTime":"1.5"}]})"),
              HasSubstr("field 'resultEndTime' of a result must be a duration such as \"1.500s\""));
}

TEST(Google, TranslatesOneChannelAndReportsIt) {
  Hearing hearing("google");
  EXPECT_THAT(
      hearing.feed(R"({"results":[{"alternatives":[{"transcript":"a"}],"channelTag":1}]})"
                   R"({"results":[{"alternatives":[{"transcript":"b"}],"channelTag":2}]})"
                   R"({"results":[{"alternatives":[{"transcript":"a c"}],"channelTag":1}]})"),
      ElementsAre("~a", "~a c"));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("only channel 1 is translated")));
}

// --- Deepgram ---

std::string deepgram(const std::string& text, bool is_final, bool speech_final,
                     const std::string& channel = "[0,2]") {
  return "{\"type\":\"Results\",\"channel_index\":" + channel +
         ",\"is_final\":" + (is_final ? "true" : "false") +
         ",\"speech_final\":" + (speech_final ? "true" : "false") +
         ",\"channel\":{\"alternatives\":[{\"transcript\":\"" + text + "\"}]}}";
}

TEST(Deepgram, ContinuesTheSentenceUntilSpeechEnds) {
  EXPECT_THAT(hear("deepgram", deepgram("das ist", true, false) + deepgram("gut", true, true)),
              ElementsAre("+das ist", "=gut"));
}

TEST(Deepgram, EndsTheSentenceIfSpeechEndsWithoutAWord) {
  EXPECT_THAT(hear("deepgram", deepgram("das ist", true, false) + deepgram("", true, true)),
              ElementsAre("+das ist", "."));
  EXPECT_THAT(hear("deepgram", deepgram("das", true, false) +
                                   R"({"type":"UtteranceEnd","channel":[0,2],"last_word_end":2})"),
              ElementsAre("+das", "."));
}

TEST(Deepgram, TranslatesOneChannel) {
  Hearing hearing("deepgram");
  EXPECT_THAT(
      hearing.feed(deepgram("a", false, false, "[0,2]") + deepgram("b", true, true, "[1,2]")),
      ElementsAre("~a"));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("only channel 0 is translated")));
}

TEST(Deepgram, ReportsErrorsOfDeepgram) {
  Hearing hearing("deepgram");
  EXPECT_THAT(hearing.failure(R"({"type":"Error","description":"NET-0001"})"),
              HasSubstr("deepgram reports an error: 'NET-0001'"));
}

// --- AssemblyAI ---

TEST(AssemblyAi, IgnoresTheFormattedRepetitionOfATurn) {
  const std::string turn = R"({"type":"Turn","turn_order":3,"words":[],)";
  EXPECT_THAT(
      hear("assemblyai",
           turn + R"("turn_is_formatted":false,"end_of_turn":true,"transcript":"guten tag"})" +
               turn + R"("turn_is_formatted":true,"end_of_turn":true,"transcript":"Guten Tag."})"),
      ElementsAre("=guten tag"));
}

TEST(AssemblyAi, FinishesATurnThatNeverEnded) {
  const auto turn = [](int order, const std::string& text) {
    return "{\"type\":\"Turn\",\"turn_order\":" + std::to_string(order) +
           ",\"end_of_turn\":false,\"transcript\":\"\",\"words\":[{\"text\":\"" + text + "\"}]}";
  };
  EXPECT_THAT(hear("assemblyai",
                   turn(0, "a") + turn(1, "b") + R"({"type":"Begin","id":"x"})" + turn(0, "c")),
              ElementsAre("~a", "=a", "~b", "=b", "~c", "=c"));
}

TEST(AssemblyAi, ReportsErrorsOfAssemblyAi) {
  Hearing hearing("assemblyai");
  EXPECT_THAT(hearing.failure(R"({"error":"Not authorized"})"),
              HasSubstr("assemblyai reports an error: 'Not authorized'"));
}

// --- aws-transcribe ---

TEST(AwsTranscribe, ReadsResultsWithAndWithoutAChannel) {
  const auto result = [](const std::string& text, const std::string& channel) {
    return R"({"Transcript": {"Results": [{"IsPartial": false, )" + channel +
           R"("Alternatives": [{"Transcript": ")" + text + R"("}]}]}})" + "\n";
  };
  Hearing hearing("aws-transcribe");
  EXPECT_THAT(hearing.feed(result("Eins.", "") + result("Zwei.", R"("ChannelId": "ch_0", )") +
                           result("Drei.", "") + result("Vier.", R"("ChannelId": "ch_1", )")),
              ElementsAre("=Eins.", "=Zwei.", "=Drei."));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("only channel ch_0 is translated")));
}

// --- text ---

TEST(Text, RemovesWhatBackspacesErase) {
  EXPECT_THAT(hear("text", "Guten Morben\b\b\bgen Tag.\n"), ElementsAre("Guten", "Morgen", "Tag."));
  EXPECT_THAT(hear("text", "ich gehe \b\b\b\b\blaufe heim\nJa\n"),
              ElementsAre("ich", "gehe", "+heim", "+Ja"));
  EXPECT_THAT(hear("vosk", R"({"text": "guten morben\b\b\bgen"})"), ElementsAre("=guten morgen"));
  EXPECT_THAT(hear("whisper-streaming", "1.0 0 100 ein\b\bins\n"), ElementsAre("eins@0.1"));
}

TEST(Text, ReadsWindows1252WithOneNotice) {
  Hearing hearing("text");
  EXPECT_THAT(hearing.feed("Sch\xF6ne Gr\xFC\xDF\x65\naus M\xFCnchen\n"),
              ElementsAre("Schöne", "Grüße", "aus", "München"));
  EXPECT_THAT(hearing.notes, ElementsAre("the input is not UTF-8 and is read as Windows-1252"));
  EXPECT_EQ(hearing.replaced(), 0);
  EXPECT_THAT(hear("auto", "{\"text\" : \"sch\xF6n\",\n\"result\": []}"), ElementsAre("=schön"));
}

// --- deepgram ---

TEST(Deepgram, ReadsTheAnswerToARecording) {
  EXPECT_THAT(
      hear("auto", R"({"metadata": {"channels": 1}, "results": {"channels": [{)"
                   R"("alternatives": [{"transcript": "Guten Tag. Danke.", "words": []}]}]}})"),
      ElementsAre("Guten", "Tag.", "Danke.", "."));
}

}  // namespace
}  // namespace surtitle
