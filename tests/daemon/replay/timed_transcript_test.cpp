#include "daemon/replay/timed_transcript.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace surtitle {
namespace {

using ::testing::HasSubstr;

constexpr double kRate = 2.0;

TimedTranscript parse(std::string_view content) {
  return content.starts_with('{') ? parse_timed_words(content, "talk", kRate)
                                  : parse_plain_words(content, "talk", kRate);
}

std::string failure(std::string_view content) {
  try {
    parse(content);
    return "nothing was thrown";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(TimedTranscript, ReadsJsonLinesWithTimesFromTheFirstText) {
  const TimedTranscript log = parse(
      "{\"time\": 100.5, \"text\": \"Guten\"}\n\n"
      "{\"time\": 101, \"text\": \"Morgen alle\", \"speaker\": 1}\r\n"
      "{\"time\": 101, \"text\": \"  \"}\n"
      "{\"time\": 102.5, \"text\": \"da.\"}");
  ASSERT_EQ(log.texts.size(), 3U);
  EXPECT_EQ(log.texts[0].text, "Guten");
  EXPECT_EQ(log.texts[0].time, 0);
  EXPECT_EQ(log.texts[1].words, 2);
  EXPECT_EQ(log.texts[1].time, 0.5);
  EXPECT_EQ(log.texts[2].time, 2);
  EXPECT_EQ(log.texts[0].clock, 100.5);
  EXPECT_EQ(log.texts[2].clock, 102.5);
  EXPECT_EQ(log.words, 4);
  EXPECT_EQ(log.length, 3);  // two seconds and the mean pause
}

TEST(TimedTranscript, ReadsPlainTextAtARate) {
  const TimedTranscript log = parse("Guten Morgen\nalle.\n\nWas nun");
  ASSERT_EQ(log.texts.size(), 5U);
  EXPECT_EQ(log.texts[2].text, "alle.");
  EXPECT_TRUE(log.texts[2].ends_sentence);
  EXPECT_FALSE(log.texts[1].ends_sentence);
  EXPECT_EQ(log.texts[4].time, 2.0);
  EXPECT_EQ(log.length, 2.5);
}

TEST(TimedTranscript, HasALengthEvenWithOneText) {
  EXPECT_EQ(parse("{\"time\": 3, \"text\": \"ein Wort\"}").length, 1.0);
  EXPECT_EQ(parse("Wort").length, 0.5);
}

TEST(TimedTranscript, NamesTheInvalidLine) {
  EXPECT_THAT(failure("{\"time\": 1, \"text\": \"a\"}\n{\"text\": \"b\"}"),
              HasSubstr("talk:2: field time is missing"));
  EXPECT_THAT(failure("{\"time\": 1, \"text\": \"a\"}\n\n{\"time\": 0.5, \"text\": \"b\"}"),
              HasSubstr("talk:3: time 0.5"));
  EXPECT_THAT(failure("{\"time\": 1, \"text\": \"a\"}\nGuten"),
              HasSubstr("talk:2: the line is not valid JSON"));
  EXPECT_THAT(failure("{\"time\": \"1\", \"text\": \"a\"}"),
              HasSubstr("talk:1: field time must be a number"));
  EXPECT_THAT(failure("{\"time\": 1, \"text\": \"a\", \"final\": false}"),
              HasSubstr("talk:1: hypotheses"));
  EXPECT_THAT(failure("{\"time\": 1e999, \"text\": \"a\"}"),
              HasSubstr("talk:1: field time must be a number"));
  EXPECT_THAT(failure(" \n\t\n"), HasSubstr("talk: the log has no words"));
}

TEST(TimedTranscript, ReadsHalfASurrogatePairAndNoNumber) {
  EXPECT_EQ(parse_timed_words("{\"time\": 1, \"text\": \"gut\\ud83d\", \"x\": NaN}", "talk", kRate)
                .texts.front()
                .text,
            "gut\uFFFD");
}

TEST(TimedTranscript, SpreadsTheWordsOfACueOverItsTime) {
  const TimedTranscript log = parse_subtitles(
      "1\n00:00:01,000 --> 00:00:02,000\n<i>Guten</i> Tag [Applaus]\n\n"
      "2\n00:00:02,000 --> 00:00:03,000\n- Ja.\n",
      "talk", kRate);
  ASSERT_EQ(log.texts.size(), 3U);
  EXPECT_EQ(log.texts[1].text, "Tag");
  EXPECT_DOUBLE_EQ(log.texts[1].time, 0.5);
  EXPECT_TRUE(log.texts[1].ends_sentence);
  EXPECT_EQ(log.texts[2].text, "Ja.");
  EXPECT_DOUBLE_EQ(log.texts[2].time, 1.5);
}

std::string words_of(const TimedTranscript& log) {
  std::string words;
  for (const TimedText& timed : log.texts) {
    words += (words.empty() ? "" : " ") + timed.text;
  }
  return words;
}

TEST(TimedTranscript, ReadsLatin1AndWindows1252) {
  const std::string words =
      "sch\xF6ne Gr\xFC\xDF"
      "e \x84so\x93 5\x80";
  const std::string read = "schöne Grüße „so“ 5€";
  EXPECT_EQ(
      words_of(parse_subtitles("1\n00:00:01,000 --> 00:00:02,000\n" + words + "\n", "talk", kRate)),
      read);
  EXPECT_EQ(words_of(parse(words)), read);
  EXPECT_EQ(words_of(parse("{\"time\": 1, \"text\": \"" + words + "\"}")), read);
}

TEST(TimedTranscript, ReplacesInvalidBytesOfUtf8) {
  EXPECT_EQ(words_of(parse("schöne Grüße\xFF")), "schöne Grüße\uFFFD");
}

TEST(TimedTranscript, ReadsSubtitlesWhoseLinesEndWithCarriageReturns) {
  for (const std::string end : {"\n", "\r", "\r\n", "\r\r\n"}) {
    const TimedTranscript log =
        parse_subtitles("1" + end + "00:00:01,000 --> 00:00:02,000" + end + "eins" + end + end +
                            "2" + end + "00:00:02,000 --> 00:00:03,000" + end + "zwei" + end,
                        "talk", kRate);
    EXPECT_EQ(words_of(log), "eins zwei");
    EXPECT_DOUBLE_EQ(log.texts.back().clock, 3);
  }
}

TEST(TimedTranscript, ThrowsIfAFileCannotBeRead) {
  EXPECT_THROW(read_log_file("/does/not/exist.jsonl"), std::runtime_error);
  EXPECT_THROW(read_log_file("/"), std::runtime_error);
}

TEST(TimedTranscript, ReadsTheDemoTalkAtSpeakingPace) {
  const TimedTranscript log = parse_timed_words(
      read_log_file(SURTITLE_SOURCE_DIR "/tests/data/demo/europarl.jsonl"), "talk", kRate);
  EXPECT_EQ(log.words, 490);
  EXPECT_NEAR(log.words / log.length, 2.3, 0.05);
  for (std::size_t i = 1; i < log.texts.size(); ++i) {
    const double pause = log.texts[i].time - log.texts[i - 1].time;
    EXPECT_GT(pause, 0.1) << log.texts[i].text;
    EXPECT_LT(pause, 2.0) << log.texts[i].text;  // silence would end the sentence
  }
}

TEST(TimedTranscript, HasNoMarksHesitationsAndLabels) {
  const auto words = [](const std::string& content) {
    const TimedTranscript log = parse(content);
    std::string all;
    for (const TimedText& timed : log.texts) {
      all += timed.text + (timed.ends_sentence ? "|" : " ");
    }
    return all;
  };
  EXPECT_EQ(words("Danke [leise Musik] äh schön.\n\n>> ANNA: Guten Tag"),
            "Danke schön.|Guten Tag ");
  EXPECT_EQ(words("{\"time\": 1, \"text\": \"[leise\"}\n{\"time\": 2, \"text\": \"Musik]\"}\n"
                  "{\"time\": 3, \"text\": \"Danke >> Guten Tag\"}"),
            "Danke. Guten Tag ");
  EXPECT_THROW(words("[Applaus]"), std::runtime_error);
}

}  // namespace
}  // namespace surtitle
