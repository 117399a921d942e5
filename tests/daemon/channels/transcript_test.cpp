#include "daemon/channels/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "daemon/channels/transcript_formats.h"

namespace surtitle {
namespace {

using protocol::ServerMessage;
using ::testing::ElementsAre;

std::vector<std::string> texts(const std::vector<ServerMessage>& messages) {
  std::vector<std::string> list;
  for (const ServerMessage& message : messages) {
    list.push_back(protocol::to_json(message));
  }
  return list;
}

protocol::Write write(int sentence, int index, const std::string& text, double source_time,
                      const std::string& track = "") {
  return {sentence, index, text, index + 1, index + 1, 0, track, source_time};
}

// Returns the messages of a sentence whose words are a second apart, each translated by itself.
std::vector<ServerMessage> spoken(int sentence, const std::vector<std::string>& words, double begin,
                                  const std::string& track = "") {
  std::vector<ServerMessage> messages;
  std::string source;
  std::string target;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double time = begin + static_cast<double>(i);
    const std::string space = i == 0 ? "" : " ";
    if (track.empty()) {
      messages.emplace_back(protocol::SourceMessage{sentence, words[i], time});
    }
    messages.emplace_back(write(sentence, static_cast<int>(i), space + words[i], time, track));
    source += space + words[i];
    target += space + words[i];
  }
  messages.emplace_back(protocol::Sentence{sentence, source, target, {}, {}, track});
  return messages;
}

void add_all(Transcript& transcript, const std::vector<ServerMessage>& messages) {
  for (const ServerMessage& message : messages) {
    transcript.add(message);
  }
}

TEST(Transcript, SnapshotHasTheLastFinishedSentencesInBriefAndTheOpenOneInFull) {
  Transcript transcript(100);
  for (int i = 0; i < 4; ++i) {
    add_all(transcript, spoken(i, {"eins", "zwei"}, 10 * i));
  }
  const std::vector<ServerMessage> open{protocol::SourceMessage{4, "drei", 50.0},
                                        write(4, 0, "three", 50), write(4, 1, " and", 50)};
  add_all(transcript, open);
  const std::vector<ServerMessage> brief{protocol::SourceMessage{3, "eins zwei", 31.0},
                                         protocol::Write{3, 0, "eins zwei", 2, 2, 0, "", 31.0},
                                         protocol::Sentence{3, "eins zwei", "eins zwei", {}, {}}};
  std::vector<ServerMessage> expected = brief;
  expected.insert(expected.end(), open.begin(), open.end());
  EXPECT_EQ(texts(transcript.snapshot(1, {})), texts(expected));
  EXPECT_EQ(texts(transcript.snapshot(0, {})), texts(open));
  EXPECT_EQ(transcript.snapshot(100, {}).size(), 4 * brief.size() + open.size());
}

TEST(Transcript, SnapshotMayBeOfOneTrack) {
  Transcript transcript(100);
  add_all(transcript, spoken(0, {"eins"}, 0));
  add_all(transcript, spoken(0, {"un"}, 0, "fr"));
  EXPECT_EQ(transcript.snapshot(9, {}).size(), 5U);
  const auto french = transcript.snapshot(9, "fr");
  ASSERT_EQ(french.size(), 3U);
  EXPECT_EQ(std::get<protocol::Write>(french[1]).text, "un");
  EXPECT_EQ(transcript.snapshot(9, "")[1],
            ServerMessage(protocol::Write{0, 0, "eins", 1, 1, 0, "", 0.0}));
}

TEST(Transcript, TrackMayLagBehindAnother) {
  Transcript transcript(100);
  add_all(transcript, spoken(0, {"eins"}, 0));
  add_all(transcript, spoken(1, {"zwei"}, 5));
  add_all(transcript, spoken(0, {"un"}, 0, "fr"));
  add_all(transcript, spoken(1, {"deux"}, 5, "fr"));
  ASSERT_EQ(transcript.sentences().size(), 2U);
  EXPECT_EQ(transcript.sentences()[0].renderings.at("fr").text(), "un");
  EXPECT_EQ(transcript.sentences()[1].renderings.at("fr").text(), "deux");
}

TEST(Transcript, DropsTheOldestFinishedSentences) {
  Transcript transcript(3);
  for (int i = 0; i < 10; ++i) {
    add_all(transcript, spoken(i, {"a"}, i));
  }
  ASSERT_EQ(transcript.sentences().size(), 3U);
  EXPECT_EQ(transcript.sentences().front().number, 7);
}

// Returns the messages with consecutive events.
std::vector<ServerMessage> with_events(std::vector<ServerMessage> messages, std::int64_t first) {
  for (ServerMessage& message : messages) {
    *protocol::event_of(message) = first++;
  }
  return messages;
}

TEST(Transcript, ReturnsTheMessagesAfterAnEvent) {
  Transcript transcript(100);
  std::vector<ServerMessage> all = spoken(0, {"eins", "zwei"}, 0);
  all.insert(all.begin() + 2, protocol::PolicyChange{1, "m", "p"});
  all.emplace_back(protocol::SourceMessage{1, "drei", 9.0});
  all.emplace_back(protocol::Revision{0, "eins", "ein"});
  all = with_events(all, 1);
  add_all(transcript, all);
  EXPECT_EQ(transcript.last_event(), 8);
  for (std::size_t event = 0; event <= all.size(); ++event) {
    const auto rest = transcript.after(static_cast<std::int64_t>(event), {}, 100);
    ASSERT_TRUE(rest.has_value());
    EXPECT_EQ(texts(*rest), texts({all.begin() + static_cast<std::ptrdiff_t>(event), all.end()}));
  }
  EXPECT_FALSE(transcript.after(9, {}, 100)) << "there is no such event yet";
  EXPECT_FALSE(transcript.after(0, {}, 7)) << "more than the limit";
}

TEST(Transcript, ReturnsTheMessagesOfOneTrack) {
  Transcript transcript(100);
  add_all(transcript, with_events(spoken(0, {"eins"}, 0), 1));
  add_all(transcript, with_events(spoken(0, {"un"}, 0, "fr"), 11));
  add_all(transcript, with_events({protocol::PolicyChange{1, "m", "p", false, "fr"},
                                   protocol::Revision{0, "eins", "ein"}},
                                  21));
  EXPECT_EQ(transcript.after(1, "fr", 9)->size(), 4U);
  EXPECT_EQ(transcript.after(1, "", 9)->size(), 3U);
  EXPECT_EQ(transcript.after(1, {}, 9)->size(), 6U);
}

TEST(Transcript, ReturnsNothingIfMessagesAreMissing) {
  Transcript transcript(2);
  add_all(transcript, with_events(spoken(0, {"a"}, 0), 1));
  add_all(transcript, with_events(spoken(1, {"b"}, 1), 4));
  EXPECT_EQ(transcript.after(0, {}, 9)->size(), 6U);
  add_all(transcript, with_events(spoken(2, {"c"}, 2), 7));
  EXPECT_FALSE(transcript.after(2, {}, 9));
  EXPECT_EQ(transcript.after(3, {}, 9)->size(), 6U);
  transcript.shrink(1);
  EXPECT_FALSE(transcript.after(3, {}, 9));
  EXPECT_EQ(transcript.after(6, {}, 9)->size(), 3U);
  for (int i = 10; i < 1012; ++i) {
    add_all(transcript, with_events({protocol::Revision{0, "a", "b"}}, i));
  }
  EXPECT_FALSE(transcript.after(10, {}, 2000)) << "at most 1000 changes are kept";
  EXPECT_EQ(transcript.after(11, {}, 2000)->size(), 1000U);
}

TEST(Transcript, CannotContinueWithoutEvents) {
  Transcript transcript(2);
  EXPECT_TRUE(transcript.after(0, {}, 9)->empty());
  add_all(transcript, spoken(0, {"a"}, 0));
  EXPECT_FALSE(transcript.after(0, {}, 9));
}

std::string vtt(const std::vector<ServerMessage>& messages, bool bilingual = false) {
  Transcript transcript(100);
  add_all(transcript, messages);
  return write_transcript(transcript, {TranscriptFormat::kWebVtt, "", bilingual});
}

TEST(TranscriptFormats, WebVttEscapesItsThreeCharacters) {
  EXPECT_EQ(vtt(spoken(0, {"a<b", "&", "c>d"}, 3661.5)),
            "WEBVTT\n\n01:01:01.500 --> 01:01:05.000\na&lt;b &amp; c&gt;d\n");
}

TEST(TranscriptFormats, EmptyTranscriptIsAValidFile) {
  EXPECT_EQ(vtt({}), "WEBVTT\n");
  const Transcript empty(1);
  EXPECT_EQ(write_transcript(empty, {TranscriptFormat::kSrt}), "");
  EXPECT_EQ(write_transcript(empty, {TranscriptFormat::kJson}), "[]\n");
}

TEST(TranscriptFormats, SrtNumbersItsCuesAndWritesACommaBeforeMilliseconds) {
  Transcript transcript(100);
  add_all(transcript, spoken(0, {"eins", "zwei"}, 0.25));
  add_all(transcript, spoken(1, {"drei"}, 9));
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kSrt}),
            "1\n00:00:00,250 --> 00:00:02,750\neins zwei\n\n"
            "2\n00:00:09,000 --> 00:00:10,500\ndrei\n");
}

TEST(TranscriptFormats, BothLanguagesAreInOneCue) {
  Transcript transcript(100);
  add_all(transcript,
          {protocol::SourceMessage{0, "Guten", 1.0}, protocol::SourceMessage{0, "Tag", 2.0},
           write(0, 0, "Good", 1), write(0, 1, " day", 2)});
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kWebVtt, "", true}),
            "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nGuten Tag\nGood day\n");
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kText, "", true}),
            "Guten Tag\nGood day\n");
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kText}), "Good day\n");
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kJson, "", true}),
            "[\n{\"sentence\":0,\"begin\":1,\"end\":2,\"source\":\"Guten Tag\",\"target\":\"Good "
            "day\",\"complete\":false,\"words\":[{\"text\":\"Good\",\"source_time\":1},{\"text\":"
            "\"day\",\"source_time\":2}]}]\n");
}

TEST(TranscriptFormats, WordOfSeveralTokensHasTheTimeOfTheFirst) {
  Transcript transcript(100);
  add_all(transcript, {protocol::SourceMessage{0, "a", 1.0}, write(0, 0, "trans", 1),
                       write(0, 1, "lation ends", 4)});
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kJson}),
            "[\n{\"sentence\":0,\"begin\":1,\"end\":1,\"target\":\"translation "
            "ends\",\"complete\":false,\"words\":[{\"text\":\"translation\",\"source_time\":1},{"
            "\"text\":\"ends\",\"source_time\":4}]}]\n");
}

TEST(TranscriptFormats, CharactersWithoutSpacesAreDividedByTheirWidth) {
  Transcript transcript(100);
  const std::string text = "今天很好。";
  for (int i = 0; i < 10; ++i) {
    transcript.add(protocol::SourceMessage{0, text, 1.0 * i});
    transcript.add(write(0, i, text, 1.0 * i));
  }
  const TranscriptSentence& sentence = transcript.sentences().front();
  EXPECT_EQ(sentence.source_text().find(' '), std::string::npos);
  const std::string cues = write_transcript(transcript, {TranscriptFormat::kSrt});
  // 21 characters have 42 columns.
  EXPECT_NE(cues.find("今天很好。今天很好。今天很好。今天很好。今\n天很好。"), std::string::npos)
      << cues;
  EXPECT_EQ(cues.find("\n。"), std::string::npos) << cues;
}

TEST(TranscriptFormats, CuesAreShortOrderedAndComplete) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Transcript transcript(1000);
    std::string expected;
    double time = 0;
    for (int number = 0; number < 5; ++number) {
      transcript.add(protocol::SourceMessage{number, "x", time});
      const unsigned int words = 1 + random() % 40;
      for (unsigned int i = 0; i < words; ++i) {
        time += random() % 3 == 0    ? 0
                : random() % 30 == 0 ? 100
                                     : 0.1 * static_cast<double>(random() % 20);
        const std::string word(1 + random() % 12, static_cast<char>('a' + random() % 26));
        transcript.add(write(number, static_cast<int>(i), (i == 0 ? "" : " ") + word, time));
        expected += (expected.empty() ? "" : " ") + word;
      }
    }
    std::string shown;
    double end = 0;
    for (const Cue& cue : cues_of(transcript, {})) {
      EXPECT_GE(cue.begin, end - 1e-9);
      EXPECT_GE(cue.end - cue.begin, 0.5 - 1e-9);
      EXPECT_LE(cue.end - cue.begin, 8 + 1e-9);
      EXPECT_LE(cue.lines.size(), 2U);
      end = cue.end;
      for (const std::string& line : cue.lines) {
        EXPECT_LE(line.size(), 42U);
        shown += (shown.empty() ? "" : " ") + line;
      }
    }
    EXPECT_EQ(shown, expected);
  }
}

// Returns the begin and the end of each cue.
std::vector<std::pair<double, double>> cue_times(const std::vector<ServerMessage>& messages,
                                                 bool bilingual = false) {
  Transcript transcript(1000);
  add_all(transcript, messages);
  std::vector<std::pair<double, double>> times;
  for (const Cue& cue : cues_of(transcript, {TranscriptFormat::kSrt, "", bilingual})) {
    times.emplace_back(cue.begin, cue.end);
  }
  return times;
}

// Returns sentences of one word at these times.
std::vector<ServerMessage> sentences_at(const std::vector<double>& times) {
  std::vector<ServerMessage> messages;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (const ServerMessage& message : spoken(static_cast<int>(i), {"eins"}, times[i])) {
      messages.push_back(message);
    }
  }
  return messages;
}

TEST(TranscriptFormats, TimeThatContradictsTheOthersMovesOneCue) {
  using Times = std::vector<std::pair<double, double>>;
  for (const bool bilingual : {false, true}) {
    EXPECT_EQ(cue_times(sentences_at({1, 3600, 5, 8}), bilingual),
              (Times{{1, 1.5}, {1.5, 2.5}, {5, 6.5}, {8, 9.5}}));
    EXPECT_EQ(cue_times(sentences_at({5, 8, 0, 11}), bilingual),
              (Times{{5, 6.5}, {8, 8.5}, {8.5, 9.5}, {11, 12.5}}));
    EXPECT_EQ(cue_times(sentences_at({3600, 5, 8}), bilingual),
              (Times{{5, 5.5}, {5.5, 6.5}, {8, 9.5}}));
  }
}

TEST(TranscriptFormats, TimeThatContradictsTheOthersMovesOneWord) {
  std::vector<ServerMessage> messages{protocol::SourceMessage{0, "x", 1}};
  const std::vector<double> times{1, 3600, 5, 8, 11};
  for (int i = 0; i < 5; ++i) {
    messages.emplace_back(write(0, i, (i == 0 ? "" : " ") + std::string(30, 'a'),
                                times[static_cast<std::size_t>(i)]));
  }
  EXPECT_EQ(cue_times(messages).size(), 3U);
  EXPECT_EQ(cue_times(messages)[1].first, 5);
  EXPECT_EQ(cue_times(messages)[2].first, 11);
}

TEST(TranscriptFormats, SlowWordsAreShownInCuesOfEightSeconds) {
  std::vector<ServerMessage> messages = spoken(0, {"eins", "zwei"}, 0);
  messages.pop_back();
  messages.emplace_back(write(0, 2, " drei", 30));
  EXPECT_THAT(cue_times(messages), ElementsAre(std::pair(0.0, 2.5), std::pair(30.0, 31.5)));
}

TEST(TranscriptFormats, SrtHasNoMarkupOfItsSource) {
  Transcript transcript(100);
  add_all(transcript, spoken(0, {"{\\an8}a", "-->", "<i>b"}, 0));
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kSrt}),
            "1\n00:00:00,000 --> 00:00:03,500\n{\u2060\\an8}a --\u2060> <\u2060i>b\n");
}

TEST(TranscriptFormats, HeadingIsWrittenWhereItBegins) {
  Transcript transcript(100);
  transcript.set_heading({"Saal 1 --> 2", "Ada & Co"});
  add_all(transcript, spoken(0, {"eins"}, 0));
  add_all(transcript, spoken(1, {"zwei"}, 5));
  transcript.add(protocol::HeadingChange{{"Saal 1 --> 2", "Ben"}, 9});
  add_all(transcript, spoken(2, {"drei"}, 10));
  EXPECT_EQ(transcript.heading().speaker, "Ben");
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kWebVtt}),
            "WEBVTT\n\nNOTE\nTitle: Saal 1 --\u2060> 2\nSpeaker: Ada & Co\n\n"
            "00:00:00.000 --> 00:00:01.500\neins\n\n00:00:05.000 --> 00:00:06.500\nzwei\n\n"
            "NOTE\nTitle: Saal 1 --\u2060> 2\nSpeaker: Ben\n\n"
            "00:00:10.000 --> 00:00:11.500\ndrei\n");
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kText}),
            "Title: Saal 1 --> 2\nSpeaker: Ada & Co\n\neins\nzwei\n\n"
            "Title: Saal 1 --> 2\nSpeaker: Ben\n\ndrei\n");
  EXPECT_THAT(
      write_transcript(transcript, {TranscriptFormat::kJson}),
      ::testing::AllOf(::testing::HasSubstr("\"title\":\"Saal 1 --> 2\",\"speaker\":\"Ada & Co\""),
                       ::testing::HasSubstr("\"title\":\"Saal 1 --> 2\",\"speaker\":\"Ben\"")));
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kSrt}).find("Saal"), std::string::npos);
}

TEST(TranscriptFormats, HeadingThatIsRemovedEndsThere) {
  Transcript transcript(100);
  transcript.set_heading({"", "Ada"});
  add_all(transcript, spoken(0, {"eins"}, 0));
  transcript.add(protocol::HeadingChange{});
  add_all(transcript, spoken(1, {"zwei"}, 5));
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kText, "", true}),
            "Speaker: Ada\n\neins\neins\n\nTitle: none\n\nzwei\nzwei\n");
}

TEST(TranscriptFormats, TimesBeyondAllClocksStayValid) {
  Transcript transcript(100);
  add_all(transcript, spoken(0, {"eins"}, -1e300));
  add_all(transcript, spoken(1, {"zwei"}, 1e300));
  EXPECT_EQ(write_transcript(transcript, {TranscriptFormat::kWebVtt}),
            "WEBVTT\n\n"
            "00:00:00.000 --> 00:00:01.000\neins\n\n"
            "99999:59:51.999 --> 99999:59:59.999\nzwei\n");
}

TEST(TranscriptFormats, HaveExtensionsAndContentTypes) {
  EXPECT_EQ(transcript_format_by_extension("vtt"), TranscriptFormat::kWebVtt);
  EXPECT_EQ(transcript_format_by_extension("json"), TranscriptFormat::kJson);
  EXPECT_EQ(transcript_format_by_extension("doc"), std::nullopt);
  EXPECT_EQ(content_type(TranscriptFormat::kSrt), "application/x-subrip; charset=utf-8");
}

StreamDescription stream_at(const std::string& name, std::int64_t seconds) {
  return {name, {{"", "en", "", ""}}, "de", CalendarTime(std::chrono::seconds(seconds))};
}

Transcript transcript_of(const std::vector<ServerMessage>& messages) {
  Transcript transcript(100);
  add_all(transcript, messages);
  return transcript;
}

TEST(TranscriptFile, TimesGoOnAsInTheCalendar) {
  TranscriptFile file("main", {TranscriptFormat::kWebVtt});
  file.add(stream_at("s-1", 1000), transcript_of(spoken(0, {"eins"}, 1)));
  file.add(stream_at("s-2", 1060), transcript_of(spoken(0, {"zwei"}, 2.5)));
  EXPECT_EQ(file.finish(),
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\neins\n\n"
            "00:01:01.000 --> 00:01:02.500\nzwei\n");
}

// The words of the second stream were sent when those of the first one were still due.
TEST(TranscriptFile, StreamsDoNotOverlap) {
  TranscriptFile file("main", {TranscriptFormat::kSrt});
  file.add(stream_at("s-1", 1000), transcript_of(spoken(0, {"eins", "zwei"}, 10)));
  file.add(stream_at("s-2", 1001), transcript_of(spoken(0, {"drei"}, 0)));
  EXPECT_EQ(file.finish(),
            "1\n00:00:10,000 --> 00:00:11,000\neins zwei\n\n"
            "2\n00:00:11,000 --> 00:00:12,500\ndrei\n");
}

TEST(TranscriptFile, JsonNamesTheStreamOfEachSentence) {
  TranscriptFile file("main", {.format = TranscriptFormat::kJson, .all = true});
  file.add(stream_at("s-1", 1000), transcript_of({}));
  file.add(stream_at("s-2", 1000), transcript_of(spoken(0, {"eins"}, 1)));
  file.add(stream_at("s-3", 1010), transcript_of(spoken(0, {"zwei"}, 1)));
  EXPECT_EQ(file.finish(),
            "[\n{\"stream\":\"s-2\",\"sentence\":0,\"begin\":1,\"end\":1,\"target\":\"eins\","
            "\"complete\":true,\"words\":[{\"text\":\"eins\",\"source_time\":1}]},\n"
            "{\"stream\":\"s-3\",\"sentence\":0,\"begin\":11,\"end\":11,\"target\":\"zwei\","
            "\"complete\":true,\"words\":[{\"text\":\"zwei\",\"source_time\":11}]}]\n");
}

TEST(TranscriptFile, PageHasAParagraphAfterEachPause) {
  TranscriptFile file("<main>", {TranscriptFormat::kHtml});
  std::vector<ServerMessage> messages = spoken(0, {"eins"}, 0);
  for (const auto& sentence : {spoken(1, {"zwei"}, 1), spoken(2, {"d&rei"}, 9)}) {
    messages.insert(messages.end(), sentence.begin(), sentence.end());
  }
  file.add(stream_at("s-1", 0), transcript_of(messages));
  StreamDescription odd = stream_at("s-2", 86'400);
  odd.source = "\"><script>";
  file.add(odd, transcript_of(spoken(0, {"vier"}, 0)));
  const std::string page = file.finish();
  EXPECT_THAT(page, testing::HasSubstr("<h1>&lt;main&gt;</h1>"));
  EXPECT_THAT(page, testing::HasSubstr("> eins zwei</p>"));
  EXPECT_THAT(page, testing::HasSubstr("00:00:09</span> d&amp;rei</p>"));
  EXPECT_THAT(page, testing::HasSubstr("<h2>1970-01-02 00:00 UTC \u00B7 \"&gt;&lt;script&gt;"));
  EXPECT_THAT(page, testing::HasSubstr("24:00:00</span> vier"));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("<script")));
}

TEST(TranscriptTotals, CountWordsAndTheTimeToTheLastOne) {
  std::vector<ServerMessage> messages = spoken(0, {"eins", "zwei"}, 0);
  messages.emplace_back(protocol::SourceMessage{1, "drei vier", {}, 5500});
  const TranscriptTotals totals = totals_of(transcript_of(messages));
  EXPECT_EQ(totals.sentences, 2);
  EXPECT_EQ(totals.source_words, 4);
  EXPECT_EQ(totals.words.at(""), 2);
  EXPECT_EQ(totals.seconds, 5.5);
}

}  // namespace
}  // namespace surtitle
