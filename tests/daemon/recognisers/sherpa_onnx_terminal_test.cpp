// The lines that sherpa-onnx' programs print for a terminal, under `auto` and by name.
#include <gmock/gmock.h>

#include <random>

#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kBanner =
    "OnlineRecognizerConfig(feat_config=FeatureExtractorConfig(sampling_rate=16000))\n"
    "Num devices: 2\n   0 HDA Intel\n * 1 default\nUse device: 1\n  Name: default\n"
    "  Max input channels: 32\nStarted\n\nStarted! Please speak\n";

// A line is drawn again after its segment is cleared, and continues in another one.
constexpr std::string_view kDrawn =
    "\r0:guten\33[2K\r\r0:guten morgen meine damen\n\r  und herren\33[2K\r\33[1A\r\33[2K\r"
    "\r0:guten morgen meine damen\n\r  und herren ich\n\r\r1:vielen\33[2K\r\r1:vielen dank";

const std::vector<std::string>& drawn() {
  static const std::vector<std::string> heard{"~guten", "~guten morgen meine damen und herren",
                                              "=guten morgen meine damen und herren ich", "~vielen",
                                              "=vielen dank"};
  return heard;
}

TEST(SherpaOnnxTerminal, ReadsSegmentsThatAreDrawnAgain) {
  for (const std::string_view format : {"sherpa-onnx", "auto"}) {
    EXPECT_THAT(hear(format, kDrawn), ElementsAreArray(drawn())) << format;
    const std::string bytes = std::string(kBanner) + std::string(kDrawn);
    EXPECT_THAT(hear(format, bytes), ElementsAreArray(drawn())) << format;
    std::mt19937 random(3);
    for (int round = 0; round < 100; ++round) {
      ASSERT_THAT(hear_in_pieces(format, bytes, random), ElementsAreArray(drawn())) << format;
    }
  }
}

TEST(SherpaOnnxTerminal, ShowsALineThatIsDrawnToItsEnd) {
  Hearing hearing("sherpa-onnx");
  EXPECT_THAT(hearing.feed("\r0:guten"), IsEmpty());
  EXPECT_THAT(hearing.pause(), ElementsAre("~guten"));
  EXPECT_THAT(hearing.pause(), IsEmpty());
  EXPECT_THAT(hearing.feed("\33[2K\r\r0:guten morgen\n\r  meine"), IsEmpty());
  EXPECT_THAT(hearing.pause(), ElementsAre("~guten morgen meine"));
  EXPECT_THAT(hearing.finish(), ElementsAre("=guten morgen meine"));
}

TEST(SherpaOnnxTerminal, ReadsEachVersionInALineOfItsOwn) {
  const std::string bytes = "0:GUTEN MORGEN\r\n0:GUTEN MORGEN MEINE\r\n1:VIELEN\r\n";
  const auto heard = ElementsAre("~GUTEN MORGEN", "=GUTEN MORGEN MEINE", "=VIELEN");
  EXPECT_THAT(hear("auto", bytes), heard);
  EXPECT_THAT(hear("sherpa-onnx", "Started! Please speak\n" + bytes), heard);
  EXPECT_THAT(hear("auto", "Started! Please speak\n0: guten\n0: guten tag\n"),
              ElementsAre("~guten", "=guten tag"));
  EXPECT_THAT(hear("auto", "Num devices: 1\n * 0 default\nStarted\n\r0: guten\r0: guten tag\n"),
              ElementsAre("~guten", "=guten tag"));
}

TEST(SherpaOnnxTerminal, ReadsFinalLinesOfProgramsWithVad) {
  const std::string bytes =
      "VadModelConfig(silero_vad=SileroVadModelConfig(model=x))\nCreating recognizer ...\n"
      "Recognizer created!\nStarted. Please speak\n 0: Guten Morgen.\n 9: Danke.\n10: Ja.\n";
  for (const std::string_view format : {"sherpa-onnx", "auto"}) {
    Hearing hearing(format);
    EXPECT_THAT(hearing.feed(bytes), ElementsAre("=Guten Morgen.", "=Danke.", "=Ja.")) << format;
    EXPECT_THAT(hearing.finish(), IsEmpty());
  }
  EXPECT_THAT(hear("auto", "\n 0: Guten Tag.\n 1: Ja.\n"), ElementsAre("=Guten Tag.", "=Ja."));
  Hearing hearing("sherpa-onnx");
  hearing.feed(" 0: Guten");
  EXPECT_THAT(hearing.pause(), IsEmpty());
  EXPECT_THAT(hearing.feed(" Tag.\n"), ElementsAre("=Guten Tag."));
}

TEST(SherpaOnnxTerminal, ReadsTheTimesOfProgramsThatReadFiles) {
  EXPECT_THAT(hear("auto",
                   "Started\nReading: a.wav\nStarted!\nvad segment(0:0.320-1.240) results: guten "
                   "tag\nnum threads: 2\nElapsed seconds: 0.221 s\n"),
              ElementsAre("=guten tag@1.24"));
  EXPECT_THAT(hear("sherpa-onnx", "0.320 -- 1.240: Guten Tag.\n2.000 -- 3.500: Danke.\n"),
              ElementsAre("=Guten Tag.@1.24", "=Danke.@3.5"));
}

TEST(SherpaOnnxTerminal, ReadsTheWholeScreen) {
  const std::string rule(30, '-');
  const std::string header =
      "\33[H\33[2J\33[3J=== Speech Recognition with Next-gen Kaldi ===\nTime: 2026-08-07 "
      "10:00:00\n" +
      rule + "\n";
  const std::string first = "[2026-08-07 10:00:00] 1. Guten Morgen.\n";
  const std::string bytes = header + "Recognizing: Guten\n" + header +
                            "Recognizing: Guten Morgen\n" + header + first + rule + "\n" + header +
                            first + rule + "\nRecognizing: Danke\n" + header + first +
                            "[2026-08-07 10:00:05] 2. Danke.\n" + rule + "\n";
  const auto heard = ElementsAre("~Guten", "~Guten Morgen", "=Guten Morgen.", "~Danke", "=Danke.");
  EXPECT_THAT(hear("auto", bytes), heard);
  EXPECT_THAT(hear("sherpa-onnx", bytes), heard);
}

TEST(SherpaOnnxTerminal, LeavesOtherLinesToPlainText) {
  EXPECT_THAT(hear("auto", "0:1 verloren\n"), ElementsAre("0:1", "verloren"));
  EXPECT_THAT(hear("auto", " 0 Grad\n"), ElementsAre("0", "Grad"));
  EXPECT_THAT(hear("auto", "0: Einleitung\nDann\n"), ElementsAre("0:", "Einleitung", "Dann"));
  EXPECT_THAT(hear("auto", "Started! Please speak\n\rguten\rguten tag\n"),
              ElementsAre("~guten", "+guten tag"));
}

// An input of which nothing can be read is an error, also if its lines are drawn again.
TEST(SherpaOnnxTerminal, FailsIfNothingCanBeRead) {
  for (const std::string_view bytes : {"guten\rguten tag\r", "\rguten", "guten tag\n"}) {
    Hearing hearing("sherpa-onnx");
    EXPECT_THAT(hearing.failure(bytes), HasSubstr("nothing of the input can be read")) << bytes;
  }
  Hearing hearing("vosk");
  EXPECT_THAT(hearing.failure("\rguten\rguten tag\r"), HasSubstr("nothing of the input"));
}

}  // namespace
}  // namespace surtitle
