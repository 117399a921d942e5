// Files of subtitles are read as their words and times.
#include <gmock/gmock.h>

#include "daemon/recognisers/subtitle_cues.h"
#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSrt =
    "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Guten Morgen,</i>\r\n{\\an8}meine Damen\r\n\r\n"
    "2\r\n00:00:02,500 --> 00:00:04,000\r\nund Herren.\r\n";
constexpr const char* kVtt =
    "WEBVTT - talk\n\nNOTE 00:01\nno words\n\nSTYLE\n::cue { color: red }\n\n"
    "intro\n00:01.000 --> 00:02.500 align:start position:0%\n<v Anna>Guten &amp; gern\n\n"
    "00:02.500 --> 00:04.000\n- Ja.\n- Nein.\n";

TEST(Subtitles, AreReadAsWordsWithTheEndOfTheirCue) {
  for (const char* format : {"subtitles", "text", "auto"}) {
    EXPECT_THAT(hear(format, kSrt), ElementsAre("Guten@2.5", "Morgen,@2.5", "meine@2.5",
                                                "Damen@2.5", "und@4", "Herren.@4"))
        << format;
    EXPECT_THAT(hear(format, kVtt),
                ElementsAre("Guten@2.5", "&@2.5", "gern@2.5", ".", "Ja.@4", ".", "Nein.@4"))
        << format;
    EXPECT_THAT(hear(format, std::string("\xEF\xBB\xBF\n") + kSrt), hear(format, kSrt)) << format;
  }
}

TEST(Subtitles, KeepWordsInBracketsThatAreNoTags) {
  EXPECT_THAT(hear("subtitles",
                   "1\n00:00:01,000 --> 00:00:02,000\n<B>Ich</B> sah &lt;Anna&gt; und <Otto>, <3 > "
                   "\xF0\x9F<\xFF>\xE2\x82<i \xFF=>so</i>\n"),
              ElementsAre("Ich@2", "sah@2", "<Anna>@2", "und@2", "<Otto>,@2", "<3@2", ">@2",
                          "ðŸ<ÿ>â‚so@2"));
}

TEST(Subtitles, OfManySignsCostOneStepForEach) {
  for (const std::string sign : {"<", "<b>", "{\\", "{\\a}", "&amp;", "[", "<b "}) {
    std::string line;
    while (line.size() < 200'000) {
      line += sign;
    }
    hear("subtitles", "1\n00:00:01,000 --> 00:00:02,000\n" + line + "\n");
  }
}

TEST(Subtitles, DoNotDependOnTheDivisionIntoPieces) {
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    for (const char* format : {"subtitles", "text", "auto"}) {
      ASSERT_EQ(hear_in_pieces(format, kSrt, random), hear(format, kSrt));
      ASSERT_EQ(hear_in_pieces(format, kVtt, random), hear(format, kVtt));
    }
  }
}

TEST(Subtitles, AreRecognisedWithoutANumberAndWithoutBlanks) {
  for (const std::string_view begin :
       {"WEBVTT", "1\n00:00:01,000 --> 00:00:02,000\n", "12\r\n00:00:01,000-->00:00:02,000\r\n",
        "00:01.000 --> 00:02.000\n"}) {
    EXPECT_EQ(subtitle_beginning(begin), SubtitleBeginning::kYes) << begin;
  }
  for (const std::string_view begin : {"Guten", "12 Grad", "12:30 Uhr", "1.5", "1\nGuten", "We"}) {
    EXPECT_EQ(subtitle_beginning(begin), SubtitleBeginning::kNo) << begin;
  }
  EXPECT_THAT(hear("text", "12\n"), ElementsAre("12"));
  EXPECT_THAT(hear("text", "12:30 Uhr"), ElementsAre("12:30", "Uhr"));
}

TEST(Subtitles, NeedNoBlankLines) {
  EXPECT_THAT(hear("text",
                   "1\n00:00:01,000 --> 00:00:02,000\neins\n2\n"
                   "00:00:02,000 --> 00:00:03,000\n1984\n3\n00:00:03,000-->00:00:04,000\ndrei"),
              ElementsAre("eins@2", "1984@3", "drei@4"));
}

TEST(Subtitles, LeaveOutMarksAndEndASongWithItsCue) {
  EXPECT_THAT(hear("text",
                   "1\n00:00:01,000 --> 00:00:02,000\n♪ la la\n\n2\n"
                   "00:00:02,000 --> 00:00:03,000\n(LACHT) Gut\n"),
              ElementsAre("Gut@3"));
}

TEST(Subtitles, OfAutomaticCaptionsAreNotRepeated) {
  EXPECT_THAT(hear("text",
                   "WEBVTT\nKind: captions\nLanguage: de\n\n"
                   "00:00.000 --> 00:01.000\nguten\n\n00:01.000 --> 00:01.010\nguten\n\n"
                   "00:01.010 --> 00:02.000\nguten\nmorgen<00:00:01.500><c> alle</c>\n"),
              ElementsAre("guten@1", "morgen@2", "alle@2"));
}

std::string srt(const std::vector<std::pair<std::string, std::string>>& cues) {
  std::string file;
  for (const auto& [times, lines] : cues) {
    file += "1\n" + times + "\n" + lines + "\n\n";
  }
  return file;
}

TEST(Subtitles, OfAutomaticCaptionsAreNotRepeatedInSrt) {
  EXPECT_THAT(hear("text", srt({{"00:00:00,160 --> 00:00:02,149", " \nguten tag"},
                                {"00:00:02,149 --> 00:00:02,159", "guten tag\n "},
                                {"00:00:02,159 --> 00:00:04,000", "guten tag\nja"},
                                {"00:00:04,000 --> 00:00:04,010", "ja\n "},
                                {"00:00:04,010 --> 00:00:06,000", "ja\nso"}})),
              ElementsAre("guten@2.149", "tag@2.149", "ja@4", "so@6"));
}

TEST(Subtitles, ThatRollUpAreNotRepeated) {
  EXPECT_THAT(hear("text", srt({{"00:00:00,000 --> 00:00:01,000", "a b"},
                                {"00:00:01,000 --> 00:00:02,000", "a b\nc d"},
                                {"00:00:02,000 --> 00:00:03,000", "a b\nc d\ne f"},
                                {"00:00:03,000 --> 00:00:04,000", "c d\ne f\ng"},
                                {"00:00:04,000 --> 00:00:05,000", "g\nh"}})),
              ElementsAre("a@1", "b@1", "c@2", "d@2", "e@3", "f@3", "g@4", "h@5"));
}

TEST(Subtitles, KeepWhatSpeakersSayTwice) {
  EXPECT_THAT(hear("text", srt({{"00:00:00,000 --> 00:00:01,000", "Nein."},
                                {"00:00:01,000 --> 00:00:02,000", "Nein."},
                                {"00:00:02,000 --> 00:00:03,000", "Nein.\nDoch."}})),
              ElementsAre("Nein.@1", "Nein.@2", "Nein.@3", "Doch.@3"));
  EXPECT_THAT(hear("text", srt({{"00:00:00,000 --> 00:00:01,000", "so ist es"},
                                {"00:00:09,000 --> 00:00:10,000", "so ist es\nja"}})),
              ElementsAre("so@1", "ist@1", "es@1", "so@10", "ist@10", "es@10", "ja@10"));
}

TEST(Subtitles, KeepTheTextBehindABlankLine) {
  EXPECT_THAT(hear("text",
                   "1\n00:00:01,000 --> 00:00:02,000\nDas Haus\n\nbrennt.\n\n"
                   "2\n00:00:02,000 --> 00:00:03,000\nAlle\n\nsind\n3\nda.\n"),
              ElementsAre("Das@2", "Haus@2", "brennt.@2", "Alle@3", "sind@3", "3@3", "da.@3"));
}

TEST(Subtitles, MayHaveOtherArrows) {
  for (const std::string arrow : {"->", " -> ", "–>", " → ", " -- "}) {
    const std::string cue = "00:00:02,000" + arrow + "00:00:03,000\nso\n\n";
    EXPECT_THAT(hear("text", srt({{"00:00:01,000 --> 00:00:02,000", "gut"}}) + "2\n" + cue),
                ElementsAre("gut@2", "so@3"))
        << arrow;
    EXPECT_THAT(hear("text", "1\n" + cue), ElementsAre("so@3")) << arrow;
  }
  EXPECT_THAT(hear("auto", "0:00:01.000,0:00:02.000\ngut\n\n0:00:02.000,0:00:03.000\nso\n"),
              ElementsAre("gut@2", "so@3"));
}

TEST(Subtitles, AreRecognisedBehindALineOfText) {
  std::mt19937 random(4);
  const std::string file =
      "Untertitel von Max\n\n" + srt({{"00:00:01,000 --> 00:00:02,000", "gut"}});
  const auto heard = ElementsAre("Untertitel", "von", "Max", ".", "gut@2");
  EXPECT_THAT(hear("auto", file), heard);
  for (int round = 0; round < 20; ++round) {
    ASSERT_THAT(hear_in_pieces("auto", file, random), heard);
  }
  EXPECT_THAT(hear("auto", "Es sind\n12\nMenschen\n3\n"),
              ElementsAre("Es", "sind", "12", "Menschen", "3"));
}

TEST(Subtitles, ThatGrowHaveEachWordOnce) {
  EXPECT_THAT(
      hear("text", srt({{"00:00:00,000 --> 00:00:01,000", "Wir haben gestern"},
                        {"00:00:01,000 --> 00:00:02,000", "Wir haben gestern\nlange"},
                        {"00:00:02,000 --> 00:00:03,000", "Wir haben\ngestern lange geredet."}})),
      ElementsAre("Wir@1", "haben@1", "gestern@1", "lange@2", "geredet.@3"));
}

TEST(Subtitles, MayBeInWindows1252) {
  EXPECT_THAT(hear("text", srt({{"00:00:00,000 --> 00:00:01,000",
                                 "Sch\xF6ne Gr\xFC\xDF"
                                 "e"}})),
              ElementsAre("Schöne@1", "Grüße@1"));
}

TEST(Subtitles, MayEndTheirLinesWithCarriageReturns) {
  std::mt19937 random(4);
  for (const std::string file : {kSrt, kVtt}) {
    std::string lines;  // ended by LF
    std::copy_if(file.begin(), file.end(), std::back_inserter(lines),
                 [](char c) { return c != '\r'; });
    for (const std::string end : {"\r", "\r\n", "\r\r\n"}) {
      std::string ended;
      for (const char c : lines) {
        ended += c == '\n' ? end : std::string(1, c);
      }
      for (const char* format : {"subtitles", "text", "auto"}) {
        ASSERT_EQ(hear(format, ended), hear(format, lines)) << format;
        ASSERT_EQ(hear_in_pieces(format, ended, random), hear(format, lines)) << format;
      }
    }
  }
}

}  // namespace
}  // namespace surtitle
