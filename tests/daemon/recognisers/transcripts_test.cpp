// Transcripts whose beginning is final, and services' messages, one test for each case.
#include <gmock/gmock.h>

#include "daemon/recognisers/growing_transcript.h"
#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Growing : public ::testing::Test {
 protected:
  std::vector<std::string> update(std::string_view added, std::string_view end) {
    transcript_.update({added, {}}, {end, {}});
    return spell(builder_.drain());
  }
  std::vector<std::string> end_sentence() {
    transcript_.end_sentence();
    return spell(builder_.drain());
  }

 private:
  MessageBuilder builder_{65536, 2000};
  GrowingTranscript transcript_{builder_};
};

TEST_F(Growing, TranscriptSendsFinalWordsAsFinalOnceTheyCoverWhatWasHeard) {
  EXPECT_THAT(update("", " a b c"), ElementsAre("~a b c"));
  EXPECT_THAT(update(" a", " b c d"), ElementsAre("~a b c d"));
  EXPECT_THAT(update(" b c d.", " e"), ElementsAre("+a b c d.", "~e"));
  EXPECT_THAT(update(" e", " f"), ElementsAre("+e", "~f"));
}

TEST_F(Growing, TranscriptSendsTheSameTextOnce) {
  EXPECT_THAT(update("", " a b"), ElementsAre("~a b"));
  EXPECT_THAT(update("", " a b"), IsEmpty());
  EXPECT_THAT(update(" a", " b"), IsEmpty());
}

TEST_F(Growing, TranscriptWaitsForTheRestOfItsLastWord) {
  EXPECT_THAT(update(" ein Schalter", ""), ElementsAre("+ein", "~Schalter"));
  EXPECT_THAT(update("-Medien", ""), ElementsAre("~Schalter-Medien"));
  EXPECT_THAT(update("", ", so"), ElementsAre("~Schalter-Medien, so"));
  EXPECT_THAT(update(",", " so"), IsEmpty());
  EXPECT_THAT(update(" so", " nun"), ElementsAre("+Schalter-Medien, so", "~nun"));
  EXPECT_THAT(end_sentence(), ElementsAre("=nun"));
}

TEST_F(Growing, TranscriptWithdrawsWords) {
  EXPECT_THAT(update("", " a"), ElementsAre("~a"));
  EXPECT_THAT(update("", ""), ElementsAre("~"));
  EXPECT_THAT(end_sentence(), ElementsAre("="));
  EXPECT_THAT(end_sentence(), IsEmpty());
}

// --- WhisperLive ---

std::string segment(const std::string& text, const std::string& end, bool completed) {
  return R"({"start": "0.000", "end": ")" + end + R"(", "text": ")" + text + R"(", "completed": )" +
         (completed ? "true}" : "false}");
}

std::string segments(const std::string& list) {
  return R"({"uid": "u", "segments": [)" + list + "]}";
}

TEST(WhisperLive, SendsEachCompletedSegmentOnceWhileTheListMovesOn) {
  Hearing hearing("whisper-live");
  EXPECT_THAT(
      hearing.feed(segments(segment(" a.", "1.000", true) + "," + segment(" b.", "2.000", true))),
      ElementsAre("+a. b.@2"));
  EXPECT_THAT(
      hearing.feed(segments(segment(" b.", "2.000", true) + "," + segment(" c.", "3.000", true))),
      ElementsAre("+c.@3"));
}

TEST(WhisperLive, ReadsSegmentsThatAreNotMarked) {
  EXPECT_THAT(hear("whisper-live", R"({"uid": "u", "segments": [{"text": "a", "end": 1}]})"),
              ElementsAre("~a@1", "=a@1"));
}

TEST(WhisperLive, TakesAllUnmarkedSegmentsButTheLastAsCompleted) {
  Hearing hearing("whisper-live");
  const std::string first = R"({"text": " a.", "end": "1"})";
  hearing.feed(segments(R"({"text": " a", "end": "1"})"));
  EXPECT_THAT(hearing.feed(segments(first + R"(, {"text": " b", "end": "2"})")),
              ElementsAre("+a.@1", "~b@2"));
  EXPECT_THAT(hearing.feed(segments(first + R"(, {"text": " b.", "end": "2"}, )" +
                                    R"({"text": " c.", "end": "3"})")),
              ElementsAre("+b.@2", "~c.@3"));
  EXPECT_THAT(hearing.finish(), ElementsAre("=c.@3"));
}

TEST(WhisperLive, ReportsErrorsOfTheServerAndIgnoresThatItIsBusy) {
  Hearing hearing("whisper-live");
  EXPECT_THAT(hearing.feed(R"({"uid": "u", "status": "WAIT", "message": 2.5})"), IsEmpty());
  EXPECT_THAT(hearing.failure(R"({"uid": "u", "status": "ERROR", "message": "no model"})"),
              HasSubstr("whisper-live reports an error: 'no model'"));
}

// --- OpenAI's realtime API ---

std::string event(const std::string& kind, const std::string& item, const std::string& rest) {
  return R"({"type": "conversation.item.input_audio_transcription.)" + kind + R"(", "item_id": ")" +
         item + "\", " + rest + "}";
}

TEST(OpenAiRealtime, SendsTheItemsInTheirOrder) {
  Hearing hearing("openai-realtime");
  hearing.feed(R"({"type": "input_audio_buffer.committed", "item_id": "1"})");
  EXPECT_THAT(hearing.feed(event("delta", "2", R"("delta": "b ")")), IsEmpty());
  EXPECT_THAT(hearing.feed(event("completed", "2", R"("transcript": "b c")")), IsEmpty());
  EXPECT_THAT(hearing.feed(event("completed", "1", R"("transcript": "a")")),
              ElementsAre("a", ".", "b", "c", "."));
  EXPECT_THAT(hearing.feed(event("completed", "1", R"("transcript": "a")")), IsEmpty());
}

TEST(OpenAiRealtime, DoesNotWaitForAnItemThatFailsOrIsForgotten) {
  Hearing hearing("openai-realtime");
  hearing.feed(R"({"type": "input_audio_buffer.committed", "item_id": "lost"})");
  std::vector<std::string> heard;
  for (int i = 0; i < 17; ++i) {
    for (std::string& one : hearing.feed(event("completed", std::to_string(i),
                                               R"("transcript": "t)" + std::to_string(i) + "\""))) {
      heard.push_back(std::move(one));
    }
  }
  EXPECT_EQ(heard.size(), 34U);
  hearing.feed(event("delta", "x", R"("delta": "so")"));
  EXPECT_THAT(hearing.feed(event("failed", "x", R"("error": {"message": "too loud"})")),
              ElementsAre("so", "."));
  EXPECT_THAT(hearing.feed(event("completed", "y", R"("transcript": "gut")")),
              ElementsAre("gut", "."));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("reports an error: 'too loud'")));
}

TEST(OpenAiRealtime, ReadsSegmentsUnlessThereAreDeltas) {
  EXPECT_THAT(hear("openai-realtime", event("segment", "1", R"("text": "a b", "end": 1.5)") +
                                          event("segment", "1", R"("text": "c", "end": 2)") +
                                          event("completed", "1", R"("transcript": "a b c d")")),
              ElementsAre("a@1.5", "b@1.5", "c@2", "d@2", "."));
  EXPECT_THAT(hear("openai-realtime", event("delta", "1", R"("delta": "a b")") +
                                          event("segment", "1", R"("text": "a b", "end": 1.5)")),
              ElementsAre("a", "b", "."));
}

TEST(OpenAiRealtime, KeepsTheDeltasIfTheTranscriptIsAnotherOne) {
  EXPECT_THAT(hear("openai-realtime", event("delta", "1", R"("delta": "a b")") +
                                          event("completed", "1", R"("transcript": "x y z")")),
              ElementsAre("a", "b", "."));
}

// --- Azure, Amazon Transcribe, Speechmatics, Gladia ---

TEST(Azure, SendsTheHypothesisIfThePhraseHasNoMatch) {
  EXPECT_THAT(hear("azure", R"({"Text": "gut", "Offset": 0, "Duration": 10000000})"
                            R"({"RecognitionStatus": "NoMatch"})"),
              ElementsAre("~gut@1", "=gut@1"));
}

TEST(Azure, ReportsAnError) {
  Hearing hearing("azure");
  EXPECT_THAT(hearing.failure(R"({"RecognitionStatus": "Error"})"),
              HasSubstr("azure reports an error: 'Error'"));
}

TEST(Azure, TranslatesOneChannel) {
  Hearing hearing("azure");
  EXPECT_THAT(hearing.feed(R"({"Text": "gut", "Channel": 1})"), ElementsAre("~gut"));
  EXPECT_THAT(hearing.feed(R"({"Text": "so", "Channel": 0})"), IsEmpty());
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("only channel 1 is translated")));
}

TEST(AwsTranscribe, ReportsAnException) {
  Hearing hearing("aws-transcribe");
  EXPECT_THAT(hearing.failure(R"({"BadRequestException": {"Message": "too quiet"}})"),
              HasSubstr("aws-transcribe reports an error: 'too quiet'"));
  Hearing other("aws-transcribe");
  EXPECT_THAT(other.failure(R"({"Message": "too quiet"})"), HasSubstr("'too quiet'"));
}

TEST(AwsTranscribe, SkipsAResultWithAnInvalidField) {
  Hearing hearing("aws-transcribe");
  hearing.feed(R"({"Transcript": {"Results": [{"IsPartial": 3}]}})");
  EXPECT_THAT(hearing.notes,
              ElementsAre(HasSubstr("field 'IsPartial' of a result must be true or false")));
}

std::string words_of(const std::string& name, const std::string& results) {
  return R"({"message": ")" + name + R"(", "metadata": {"end_time": 1}, "results": [)" + results +
         "]}";
}

std::string result(const std::string& content, const std::string& attaches = "none") {
  return R"({"type": "word", "attaches_to": ")" + attaches +
         R"(", "alternatives": [{"content": ")" + content + "\"}]}";
}

TEST(Speechmatics, SendsPunctuationWithTheWordBeforeIt) {
  Hearing hearing("speechmatics");
  EXPECT_THAT(hearing.feed(words_of("AddTranscript", result("das") + "," + result("Haus"))),
              ElementsAre("+das@1", "~Haus@1"));
  EXPECT_THAT(hearing.feed(words_of("AddTranscript", result(".", "previous"))),
              ElementsAre("+Haus.@1"));
}

TEST(Speechmatics, JoinsWhatAttachesToTheNextResult) {
  EXPECT_THAT(hear("speechmatics",
                   words_of("AddTranscript", result("(", "next") + "," + result("so") + "," +
                                                 result("/", "both") + "," + result("so."))),
              ElementsAre("+(so/so.@1", "."));
}

TEST(Speechmatics, ReportsAnError) {
  Hearing hearing("speechmatics");
  EXPECT_THAT(
      hearing.failure(R"({"message": "Error", "type": "not_authorised", "reason": "no key"})"),
      HasSubstr("speechmatics reports an error: 'no key'"));
}

TEST(Gladia, FinalizesAnUtteranceThatAnotherFollows) {
  const auto message = [](const std::string& id, const std::string& text) {
    return R"({"type": "transcript", "data": {"id": ")" + id +
           R"(", "is_final": false, "utterance": {"text": ")" + text + "\"}}}";
  };
  EXPECT_THAT(hear("gladia", message("1", "gut") + message("2", "so")),
              ElementsAre("~gut", "=gut", "~so", "=so"));
}

TEST(Gladia, ReportsAnError) {
  Hearing hearing("gladia");
  EXPECT_THAT(hearing.failure(R"({"type": "audio_chunk", "acknowledged": false,)"
                              R"("error": {"message": "too late"}})"),
              HasSubstr("gladia reports an error: 'too late'"));
}

}  // namespace
}  // namespace surtitle
