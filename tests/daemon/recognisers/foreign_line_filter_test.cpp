// Messages of libraries in plain text are skipped, and speech never is.
#include "daemon/recognisers/foreign_line_filter.h"

#include <gmock/gmock.h>

#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the text between the foreign lines, however the bytes are divided.
std::string filtered(std::string_view text, std::vector<std::string>* messages = nullptr) {
  ForeignLineFilter filter([&](const std::string& line, int number) {
    if (messages != nullptr) {
      messages->push_back(std::to_string(number) + " " + line);
    }
  });
  std::string out;
  for (const char c : text) {
    filter.filter(c, out);
  }
  filter.finish(out);
  return out;
}

TEST(ForeignLineFilter, RemovesMessagesOfLibraries) {
  for (const std::string line : {
           "ALSA lib pcm.c:2664:(snd_pcm_open_noupdate) Unknown PCM cards.pcm.rear",
           "ALSA lib confmisc.c:767:(parse_card) cannot find card '0'",
           "Cannot connect to server socket err = No such file or directory",
           "jack server is not running or cannot be started",
           "JackShmReadWritePtr::~JackShmReadWritePtr - Init not done for -1",
           "Expression 'paInvalidSampleRate' failed in 'src/hostapi/alsa/pa_linux_alsa.c'",
           "WARNING: the sample rate of the model is 16000",
           "WARNING:root:no GPU",
           "INFO: cmn.c(133): CMN: 40.00 3.00",
           "ERROR: \"ad_alsa.c\", line 76: Failed to open audio device",
           "INFO (VoskAPI:main():x.cc:3)",
           "[INFO] model loaded",
           "LOG (VoskAPI:ReadDataFiles():model.cc:213) Decoding params beam=13",
           "WARNING (VoskAPI:LinearVtln():x.cc:1) y",
           "whisper_init_from_file_with_params_no_state: loading model from 'ggml-base.bin'",
           "whisper_model_load: n_vocab       = 51865",
           "ggml_cuda_init: found 1 CUDA devices:",
           "system_info: n_threads = 4 / 8 | AVX = 1",
           "load_backend: loaded CPU backend",
           "init: found 1 capture devices:",
           "main: processing 48000 samples (step = 3.0 sec)",
           "/usr/lib/python3/dist-packages/whisper/transcribe.py:114: UserWarning: FP16",
           "/root/sherpa-onnx/csrc/parse-options.cc:Read:372 sherpa-onnx-microphone",
           "2026-11-27 10:00:00,123 - root - INFO - loaded",
           "[2026-11-27T10:00:00Z WARNING x] y",
           "W0000 00:00:1712345.678 9 x.cc:1] y",
           "I1127 10:00:00.123456 12345 decoder.cc:9] ready",
           "KeyError: 'text'",
           "KeyboardInterrupt",
           "DEBUG: x",
           "CRITICAL: x",
       }) {
    EXPECT_EQ(filtered("guten Tag\n" + line + "\nund danke\n"), "guten Tag\nund danke\n") << line;
    EXPECT_EQ(filtered(line + "\r\nund danke"), "und danke") << line;
    EXPECT_EQ(filtered("guten Tag\n" + line), "guten Tag\n") << line;
  }
}

TEST(ForeignLineFilter, RemovesBannersAndRules) {
  EXPECT_EQ(filtered("####\nPress Ctrl+C to stop the recording\n####\nguten Tag\n"), "guten Tag\n");
  EXPECT_EQ(filtered("READY....\nguten Tag\n---\n*****\n=====\r\nund\n"), "guten Tag\nund\n");
}

TEST(ForeignLineFilter, RemovesTheLinesOfATraceback) {
  EXPECT_EQ(filtered("eins\nTraceback (most recent call last):\n"
                     "  File \"a.py\", line 3, in <module>\n    run()\nValueError: no\n  zwei\n"),
            "eins\n  zwei\n");
  EXPECT_EQ(filtered("x/a.py:5: UserWarning: old\n  warnings.warn(x)\nzwei\n  drei\n"),
            "zwei\n  drei\n");
}

TEST(ForeignLineFilter, NeverRemovesSpeech) {
  for (const std::string line : {
           "Warnung: der Zug hat Verspätung",
           "Warning: the doors are closing",
           "Info: der Plan steht",
           "INFORMATION ist alles",
           "INFO ist ein Wort",
           "WARNING",
           "Error handling is hard",
           "Fehler: das ist keiner",
           "ALSA ist eine Bibliothek",
           "Cannot we connect to the server",
           "Expression is freedom",
           "Logarithmen (natürliche)",
           "LOG ist kurz",
           "Done",
           "Listening... is an art",
           "Press the button",
           "Ready or not",
           "jack server",
           "der Satz: er beginnt klein",
           "ende_gut alles gut",
           "main: the main thing",
           "init ist ein Wort",
           "Kapitel 3: Das Ende",
           "10:30 Uhr: die Sitzung beginnt",
           "2026-11-27 war ein Freitag",
           "2026-11-27 10:00:00 guten Tag",
           "[Applaus] danke",
           "[INFO ist offen",
           "Node.js: eine Sprache",
           "main.c: die Datei",
           "Traceback ist ein Wort",
           "  eingerückt",
           "- ein Punkt",
           "-- und noch einer",
           "*lacht* danke",
           "#Hashtag",
           "...",
           "A",
           "W",
           "こんにちは世界",
           "Errors: drei",
           "I2000 ist ein Modell",
       }) {
    for (const std::string end : {"\n", "\r\n", "", "\n\n", " weiter\n"}) {
      std::vector<std::string> messages;
      EXPECT_EQ(filtered("eins\n" + line + end, &messages), "eins\n" + line + end);
      EXPECT_THAT(messages, IsEmpty());
    }
  }
}

TEST(ForeignLineFilter, HoldsBackOnlyWhatMayBecomeAMessage) {
  ForeignLineFilter filter([](const std::string&, int) {});
  const auto passed = [&](std::string_view text) {
    std::string out;
    for (const char c : text) {
      filter.filter(c, out);
    }
    return out;
  };
  EXPECT_EQ(passed("Wir "), "Wir ");
  EXPECT_EQ(passed("haben WARNING: gesagt\n"), "haben WARNING: gesagt\n");
  EXPECT_EQ(passed("ALSA "), "");
  EXPECT_EQ(filter.held(), "ALSA ");
  EXPECT_EQ(passed("i"), "ALSA i");
  EXPECT_EQ(passed("\n" + std::string(2000, 'x')).size(), 2001U);
}

TEST(ForeignLineFilter, ReportsTheLines) {
  std::vector<std::string> messages;
  filtered("eins\nzwei\nINFO: a\n####\n" + std::string("INFO: ") + std::string(5000, 'x') + "\n",
           &messages);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0], "3 INFO: a");
  EXPECT_EQ(messages[1].size(), 1002U);
}

TEST(PlainText, SkipsMessagesOfLibraries) {
  Hearing text("text");
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    lines += "ALSA lib pcm.c:2664:(snd_pcm_open_noupdate) Unknown PCM cards.pcm.rear\n";
  }
  EXPECT_THAT(text.feed(lines + "guten Tag,\nINFO: x\nmeine "),
              ElementsAre("guten", "Tag,", "meine"));
  EXPECT_THAT(text.finish(), IsEmpty());
  EXPECT_THAT(text.notes, ElementsAre(HasSubstr("the input:1: the line 'ALSA lib pcm.c:2664:"),
                                      "the input: skipped in total: 31 lines or messages"));
  EXPECT_THAT(hear("auto", "INFO: x\nguten Tag\nINFO: y\n"), ElementsAre("guten", "Tag"));
}

TEST(PlainText, ShowsARedrawnLineOfOneWord) {
  Hearing text("text");
  EXPECT_THAT(text.feed("\rGut"), IsEmpty());
  EXPECT_THAT(text.pause(), ElementsAre("~Gut"));
  EXPECT_THAT(text.feed("en\n"), ElementsAre("+Guten"));
}

}  // namespace
}  // namespace surtitle
