// WhisperLiveKit's /asr: what its states and differences mean, one test for each case.
#include <gmock/gmock.h>

#include "daemon/recognisers/word_overlap.h"
#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string line(const std::string& text, const std::string& start, const std::string& end,
                 int speaker = 1) {
  return R"({"speaker": )" + std::to_string(speaker) + R"(, "text": ")" + text +
         R"(", "start": ")" + start + R"(", "end": ")" + end + R"("})";
}

std::string state(const std::string& lines, const std::string& unstable = "",
                  const std::string& unassigned = "") {
  return R"({"status": "active_transcription", "lines": [)" + lines +
         R"(], "buffer_transcription": ")" + unstable + R"(", "buffer_diarization": ")" +
         unassigned + "\"}\n";
}

TEST(WhisperLiveKit, SendsWhatALineGrowsBy) {
  Hearing hearing("whisperlivekit");
  EXPECT_THAT(hearing.feed(state("", " Guten App.")), IsEmpty());
  EXPECT_THAT(hearing.feed(state(line(" Guten", "0:00:00.00", "0:00:00.36"), " Abend!")),
              ElementsAre("Guten@0.36"));
  EXPECT_THAT(hearing.feed(state(line(" Guten", "0:00:00.00", "0:00:00.36"), " Abend!")),
              IsEmpty());
  EXPECT_THAT(hearing.feed(state(line(" Guten Abend!", "0:00:00.00", "1:01:00.72"))),
              ElementsAre("Abend!@3660.72"));
}

TEST(WhisperLiveKit, WaitsForTheRestOfAWordUnlessTheNextOneHasBegun) {
  Hearing hearing("whisperlivekit");
  EXPECT_THAT(hearing.feed(state(line(" die Schalter", "0:00:00", "0:00:01"))),
              ElementsAre("die@1"));
  EXPECT_THAT(hearing.feed(state(line(" die Schalter-Medien", "0:00:00", "0:00:02"))), IsEmpty());
  EXPECT_THAT(hearing.feed(state(line(" die Schalter-Medien", "0:00:00", "0:00:02"), " sind")),
              ElementsAre("Schalter-Medien@2"));
}

TEST(WhisperLiveKit, CountsTheTextOverAllLinesIfLateDiarisationDividesOne) {
  const std::string one = line("Das Haus brennt.", "0:00:00", "0:00:01");
  for (const std::string more : {" Alle", " Alle Menschen sind hier."}) {
    Hearing hearing("whisperlivekit");
    EXPECT_THAT(hearing.feed(
                    state(line("Das Haus brennt. Die Feuerwehr kommt.", "0:00:00", "0:00:02", -1))),
                ElementsAre("Das@2", "Haus@2", "brennt.@2", "Die@2", "Feuerwehr@2", "kommt.@2"));
    std::vector<std::string> heard = hearing.feed(
        state(one + "," + line("Die Feuerwehr kommt." + more, "0:00:01", "0:00:03", 2)));
    for (const std::string& word : hearing.finish()) {
      heard.push_back(word);
    }
    std::string words;
    for (const std::string& word : heard) {
      words += word == "." ? "" : " " + word.substr(0, word.find('@'));
    }
    EXPECT_EQ(words, more);
    EXPECT_THAT(hearing.notes, IsEmpty());
  }
}

TEST(WhisperLiveKit, FindsTheTextAfterLinesThatWereDropped) {
  Hearing hearing("whisperlivekit");
  hearing.feed(state(line("Das Haus brennt.", "", "0:00:01") + "," +
                     line("Die Feuerwehr kommt.", "", "0:00:02", 2)));
  EXPECT_THAT(hearing.feed(state(line("Die Feuerwehr kommt.", "", "0:00:02", 2) + "," +
                                 line("Alle sind da.", "", "0:00:03", 1))),
              ElementsAre(".", "Alle@3", "sind@3", "da.@3"));
}

TEST(WhisperLiveKit, EndsTheSentenceAtASilenceAndAtAnotherSpeaker) {
  const std::string first = line(" ja", "0:00:00", "0:00:01");
  const std::string silence = line("", "0:00:01", "0:00:07", -2);
  const std::string second = line(" gut", "0:00:07", "0:00:08");
  Hearing hearing("whisperlivekit");
  EXPECT_THAT(hearing.feed(state(first)), IsEmpty());
  EXPECT_THAT(hearing.feed(state(first + "," + silence)), ElementsAre("ja@1", "."));
  EXPECT_THAT(hearing.feed(state(first + "," + silence)), IsEmpty());
  EXPECT_THAT(hearing.feed(state(first + "," + silence + "," + second, " so")),
              ElementsAre("gut@8"));
  EXPECT_THAT(hearing.feed(state(first + "," + silence + "," + second + "," +
                                     line(" nein", "0:00:08", "0:00:09", 2),
                                 " so")),
              ElementsAre(".", "nein@9"));
}

TEST(WhisperLiveKit, ReadsASilenceWithoutText) {
  EXPECT_THAT(
      hear("whisperlivekit", R"({"lines": [{"speaker": -2, "text": null, "start": "0:00:00.00", )"
                             R"("end": "0:00:06.00"}], "buffer_transcription": ""})"),
      IsEmpty());
}

// With speakers, words come to the lines once their speaker is known, which may divide a line.
TEST(WhisperLiveKit, SendsEachWordOnceIfALineIsDivided) {
  Hearing hearing("whisperlivekit");
  EXPECT_THAT(hearing.feed(state("", " c", " a b")), IsEmpty());
  EXPECT_THAT(hearing.feed(state(line(" a b", "0:00:00", "0:00:02"), " c")),
              ElementsAre("a@2", "b@2"));
  EXPECT_THAT(
      hearing.feed(state(
          line(" a", "0:00:00", "0:00:01") + "," + line(" b c", "0:00:01", "0:00:03", 2), " d")),
      ElementsAre("c@3"));
}

TEST(WhisperLiveKit, FindsItsPlaceAfterOldTextIsRemoved) {
  Hearing hearing("whisperlivekit");
  hearing.feed(state(line(" a b.", "0:00:00", "0:00:02") + "," +
                         line("", "0:00:02", "0:00:08", -2) + "," +
                         line(" c d e", "0:00:08", "0:00:10"),
                     " f"));
  EXPECT_THAT(hearing.feed(state(line(" c d e f", "0:00:08", "0:00:11"), " g")),
              ElementsAre("f@11"));
  EXPECT_THAT(hearing.feed(state(line(" e f g", "0:00:09.50", "0:00:12"), " h")),
              ElementsAre("g@12"));
  EXPECT_THAT(hearing.feed(state("")), IsEmpty());
  EXPECT_THAT(hearing.feed(state(line(" h.", "0:05:00", "0:05:02"))), ElementsAre("h.@302"));
}

TEST(WhisperLiveKit, SendsOnlyWhatFollowsWordsThatChanged) {
  Hearing hearing("whisperlivekit");
  hearing.feed(state(line(" gute Nacht.", "0:00:00", "0:00:01")));
  EXPECT_THAT(hearing.feed(state(line(" guten Nachtisch. Danke.", "0:00:00", "0:00:02"))),
              ElementsAre("Danke.@2"));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("changed words of a line")));
}

TEST(WhisperLiveKit, TranslatesUnstableWordsAtTheEnd) {
  const std::string bytes = state(line(" a", "0:00:00", "0:00:01"), " c", " b");
  EXPECT_THAT(hear("whisperlivekit", bytes), ElementsAre("a@1", "b@1", "c@1", "."));
  Hearing hearing("whisperlivekit");
  hearing.feed(bytes);
  EXPECT_THAT(hearing.feed("{\"type\": \"ready_to_stop\"}"), ElementsAre("b@1", "c@1", "."));
  EXPECT_THAT(hearing.finish(), IsEmpty());
}

TEST(WhisperLiveKit, BeginsAgainWithAnotherSession) {
  const std::string config = R"({"type": "config", "useAudioWorklet": false, "mode": "full"})";
  const std::string words = state(line(" ja.", "0:00:00", "0:00:01"));
  EXPECT_THAT(hear("whisperlivekit", config + words + config + words),
              ElementsAre("ja.@1", ".", "ja.@1", "."));
}

TEST(WhisperLiveKit, AppliesDifferences) {
  Hearing hearing("whisperlivekit");
  hearing.feed(R"({"type": "snapshot", "seq": 1, "lines": [)" + line(" a", "0:00:00", "0:00:01") +
               "," + line("", "0:00:01", "0:00:08", -2) + R"(], "buffer_transcription": " b"})");
  EXPECT_THAT(
      hearing.feed(R"({"type": "diff", "seq": 2, "n_lines": 3, "new_lines": [)" +
                   line(" b", "0:00:08", "0:00:09") + R"(], "buffer_transcription": " c"})"),
      ElementsAre("b@9"));
  // The last line grows, and the first two are removed.
  EXPECT_THAT(
      hearing.feed(R"({"type": "diff", "seq": 3, "n_lines": 1, "lines_pruned": 2, )"
                   R"("new_lines": [)" +
                   line(" b c", "0:00:08", "0:00:10") + R"(], "buffer_transcription": " d"})"),
      ElementsAre("c@10"));
  EXPECT_THAT(hearing.feed(R"({"type": "diff", "seq": 4, "n_lines": 1, )"
                           R"("buffer_transcription": " d e"})"),
              IsEmpty());
  EXPECT_THAT(hearing.finish(), ElementsAre("d@10", "e@10", "."));
}

TEST(WhisperLiveKit, SurvivesDifferencesThatDoNotFit) {
  EXPECT_THAT(
      hear("whisperlivekit", R"({"type": "diff", "n_lines": 7, "lines_pruned": 9, "new_lines": [)" +
                                 line(" a.", "0:00:00", "0:00:01") + "]}"),
      ElementsAre("a.@1", "."));
}

TEST(WhisperLiveKit, NamesTheInvalidField) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"({"type": "diff", "n_lines": -1})", "field 'n_lines' of whisperlivekit must be 0 or more"},
      {R"({"lines": 3})", "field 'lines' of whisperlivekit must be a list of objects"},
      {R"({"lines": [{"text": "a", "end": "1:b"}]})",
       "field 'end' of a line must be a time such as \"0:01:02.50\""},
      {R"({"status": ""})", "the message must have one of the fields lines and type"}};
  for (const auto& [bytes, message] : wrong) {
    Hearing hearing("whisperlivekit");
    EXPECT_EQ(hearing.failure(state(line(" gut.", "0:00:00", "0:00:01")) + bytes), "");
    EXPECT_THAT(hearing.rest(), ElementsAre("gut.@1", "."));
    ASSERT_FALSE(hearing.notes.empty());
    EXPECT_THAT(hearing.notes.front(), HasSubstr(message));
  }
}

TEST(WhisperLiveKit, FailsWithTheErrorThatTheServerReports) {
  Hearing hearing("whisperlivekit");
  EXPECT_THAT(hearing.failure(R"({"type": "error", "error": "language xx is unknown"})"),
              HasSubstr("whisperlivekit reports an error: 'language xx is unknown'"));
}

TEST(RepeatedBytes, AreTheLongestEndThatIsABeginning) {
  EXPECT_EQ(repeated_bytes("abcabd", "abdx"), 3U);
  EXPECT_EQ(repeated_bytes("aaaa", "aa"), 2U);
  EXPECT_EQ(repeated_bytes("abab", "ababab"), 4U);
  EXPECT_EQ(repeated_bytes("xaab", "aabaaab"), 3U);
  EXPECT_EQ(repeated_bytes("", "a"), 0U);
  EXPECT_EQ(repeated_bytes("a", ""), 0U);
}

}  // namespace
}  // namespace surtitle
