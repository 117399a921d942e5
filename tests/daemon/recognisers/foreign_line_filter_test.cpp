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
           "/usr/src/sherpa-onnx/csrc/parse-options.cc:Read:372 sherpa-onnx-microphone",
           "2026-11-27 10:00:00,123 - root - INFO - loaded",
           "[2026-11-27T10:00:00Z WARNING x] y",
           "W0000 00:00:1712345.678 9 x.cc:1] y",
           "I1127 10:00:00.123456 12345 decoder.cc:9] ready",
           "KeyError: 'text'",
           "KeyboardInterrupt",
           "DEBUG: x",
           "INFO\tlistening",
           "main: WARNING: cannot process audio fast enough, dropping audio ...",
           "2026/11/27 10:00:00 websocket: close 1006 (abnormal closure)",
           "(Use `node --trace-warnings ...` to show where the warning was created)",
           "Detected language: German",
           "Detecting language using up to the first 30 seconds. Use `--language` to specify it",
           "CRITICAL: x",
           "Downloading: 45%|####5     | 450M/1.00G [00:10<00:12, 45MB/s]",
           "  3%|3         | 12/400 [00:01<00:40,  9.6it/s]",
           "100%|##########| 1.00G/1.00G [00:22<00:00, 45MB/s]",
           "(python3:4242): GLib-GObject-CRITICAL **: 10:01:22.345: assertion failed",
           "** (process:77): WARNING **: 10:00:00.000: Unable to open",
           "(node:4242) Warning: Setting the NODE_TLS_REJECT_UNAUTHORIZED",
           "0:00:01.234567890  4242 0x55d0c0a2b000 WARN  alsa gstalsasrc.c:123:open: no device",
           "[alsa @ 0x55d0c0a2b000] ALSA buffer xrun.",
           "size=     256kB time=00:00:10.24 bitrate= 204.8kbits/s speed=1.02x",
           "ffmpeg version 5.1.6-0+deb12u1 Copyright (c) 2000-2024 the FFmpeg developers",
           "Recording WAVE 'stdin' : Signed 16 bit Little Endian, Rate 16000 Hz, Mono",
           "overrun!!! (at least 12.345 ms long)",
           "In:0.00% 00:00:01.02 [00:00:00.00] Out:16.3k [  ====|====  ] Clip:0",
           "rec WARN alsa: under-run",
           "/root/.cache/torch/hub is used",
           "Using cache found in /root/.cache/torch/hub/snakers4_silero-vad_master",
           "<frozen importlib._bootstrap>:241: DeprecationWarning: builtin type",
           "thread 'main' panicked at src/main.rs:5:10:",
           "2026-11-27 10:00:00.123456: I tensorflow/core/util/port.cc:113] oneDNN",
           "2026-11-27 10:00:00.123456789 [W:onnxruntime:, session_state.cc:1162 Verify] x",
           "Segmentation fault (core dumped)",
           "terminate called after throwing an instance of 'std::bad_alloc'",
           "Input overrun, read calls are too rare (non-fatal)",
           "arecord: pcm_read:2221: read error: Interrupted system call",
           "arecord: main:830: audio open error: Device or resource busy",
           "During handling of the above exception, another exception occurred:",
           "Exception in thread Thread-3 (recv):",
           "websockets.exceptions.ConnectionClosedError: received 1011",
           "websockets.exceptions.ConnectionClosedOK: received 1000",
           "json.decoder.JSONDecodeError: Expecting value",
           "[2023-05-26 14:17:50.437] [ctranslate2] [thread 5340] [warning] The compute type",
           "[error] x",
           "Fetching 5 files: 100%|██████████| 5/5 [00:00<00:00, 1234.50it/s]",
           "Loading checkpoint shards:  50%|█████     | 1/2 [00:03<00:03,  3.10s/it]",
           "Downloading (…)okenizer.json: 100%|██████████| 5/5 [00:00<00:00, 1.5it/s]",
           "frame=  250 fps= 25 q=-0.0 size=N/A time=00:00:10.00 bitrate=N/A speed=   1x",
           "frame=12345 fps= 25 q=-0.0",
           "[out#0/wav @ 0x55d0c0a2b000] video:0kB audio:256kB",
           "Setting pipeline to PLAYING ...",
           "New clock: GstPulseSrcClock",
           "Pipeline is PREROLLED ...",
           "OMP: Info #276: omp_set_nested routine deprecated",
           "OMP: Error #15: Initializing libiomp5.so",
           "I20240502 10:00:00.123456 12345 asr.cc:12] x",
           "huggingface/tokenizers: The current process just got forked",
           "libpng warning: iCCP: known incorrect sRGB profile",
           "AL lib: (WW) alc_initconfig: x",
           "PulseAudio: Unable to connect: Connection refused",
           "[W:onnxruntime:, graph.cc:3593 x] Removing initializer '628'.",
           "[rank0]: Warning: NCCL something",
           "[ctranslate2] [thread 12345] [warning] The compute type",
           "objc[12345]: Class X is implemented in both A and B.",
           "bash: line 1: 12345 Terminated",
           "init:    - Capture device #0: 'Built-in Audio'",
           "main: n_new_line = 2, no_context = 1",
           "  Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes",
           "Allocating 32 buffers of 2500 samples each",
           "Current configuration:",
           "-agc\t\tnone\t\tnone",
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
  EXPECT_EQ(filtered("Input #0, alsa, from 'default':\n  Duration: N/A, bitrate: 1536 kb/s\n"
                     "  Stream #0:0: Audio: pcm_s16le\neins\n  zwei\n"),
            "eins\n  zwei\n");
  const std::string traceback =
      "Traceback (most recent call last):\n  File \"a.py\", line 3\n    x()\n";
  for (const std::string error : {"queue.Empty", "AssertionError", "Timeout: 3 s", "a.b.C: x"}) {
    EXPECT_EQ(filtered("eins\n" + traceback + error + "\r\nzwei\n"), "eins\nzwei\n") << error;
    EXPECT_EQ(filtered("eins\n" + traceback + error), "eins\n") << error;
  }
  EXPECT_EQ(filtered(traceback + "Guten Tag\n"), "Guten Tag\n");
  EXPECT_EQ(filtered("queue.Empty\nTimeout: 3 s\n"), "queue.Empty\nTimeout: 3 s\n");
}

TEST(ForeignLineFilter, RemovesTheSameLinesInOtherFormats) {
  const std::string lines =
      "arecord: main:830: audio open error: Device or resource busy\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    run()\n"
      "queue.Empty\n\n"
      "During handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 3\n"
      "websockets.exceptions.ConnectionClosedError: received 1011\n"
      "Loading a model with a title of many words:  50%|█████     | 1/2 [00:03<00:03]\n";
  EXPECT_THAT(hear("pocketsphinx", "guten tag\n" + lines + "und danke\n"),
              ElementsAre("=guten tag", "=und danke"));
  EXPECT_THAT(hear("whisper-cpp", "Guten Tag\n" + lines + "und danke\n"),
              ElementsAre("+Guten Tag", "+und danke"));
  EXPECT_THAT(hear("auto", lines.substr(0, lines.find("Loading")) + "Und danke\n"),
              ElementsAre("Und", "danke"));
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
           "Wahlbeteiligung: 45% am Abend",
           "Frage: WARNING ist ein Wort",
           "2026/27 war gut",
           "45% der Stimmen",
           "3 %",
           "100",
           "(Johannes 3:16)",
           "(node) und",
           "(leise) danke",
           "** wichtig **",
           "0:00 Uhr",
           "0:00:01 war die Zeit",
           "[anna @ home] danke",
           "Größe= 3",
           "size matters",
           "Input ist ein Wort",
           "In: drei",
           "Recording studios sind teuer",
           "overrun",
           "/seufzt/ danke",
           "/leise",
           "<i>kursiv</i>",
           "thread 3",
           "2026-11-27 10:00:00 I am here",
           "Loading trucks: that is the work",
           "Loading the ship takes an hour, and 5%|",
           "Mapping is hard",
           "Device 0: das erste",
           "Setting sails",
           "frame= gut",
           "-ja gut",
           "Exceptions prove rules",
           "z.B. Error: das",
           "library warning: x",
           "Current configuration: keine",
           "I20240502 ist",
           "Timeout: eine Pause",
           "main: x",
           "init: y",
           "[warnung] x",
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

TEST(ForeignLineFilter, EndsATracebackAtANumber) {
  EXPECT_EQ(filtered("Traceback (most recent call last):\n  File \"a.py\"\n12 Uhr\n"), "12 Uhr\n");
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
