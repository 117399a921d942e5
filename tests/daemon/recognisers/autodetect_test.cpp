// `--format auto`: the format is detected from the input.
#include <gmock/gmock.h>

#include <random>

#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AutodetectRecogniser, DetectsTextAtItsFirstLetter) {
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed("\n  "), IsEmpty());
  EXPECT_THAT(hearing.feed("G"), IsEmpty());
  EXPECT_THAT(hearing.feed("uten "), ElementsAre("Guten"));
  EXPECT_THAT(hearing.notes, IsEmpty());
}

// --- JSON is never taken for words ---

TEST(AutodetectRecogniser, BeginsTheFormatOfJsonAfterABanner) {
  const std::string bytes = "Verbunden.\n{\"partial\": \"guten\"}\n{\"text\": \"guten tag\"}\n";
  const auto heard = ElementsAre("Verbunden.", ".", "~guten", "=guten tag");
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed(bytes), heard);
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("recognised as vosk;")));
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    ASSERT_THAT(hear_in_pieces("auto", bytes, random), heard);
  }
}

TEST(AutodetectRecogniser, SkipsJsonOfNoFormatBetweenWords) {
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed("gut {\"level\": \"in}fo\\\"\",\n \"at\": [1, -2e3]} so "),
              ElementsAre("gut", "so"));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("JSON of no known format is not translated")));
  EXPECT_THAT(hearing.feed("[{\"a\": null}] ja "), ElementsAre("ja"));
  EXPECT_THAT(hearing.finish(), IsEmpty());
  EXPECT_THAT(hearing.notes.back(), HasSubstr("skipped in total: 2 lines or messages"));
}

TEST(AutodetectRecogniser, ReadsJsonInsideOfJsonStrings) {
  const std::string bytes =
      "\"{\\\"partial\\\": \\\"guten\\\"}\"\n\"{\\\"text\\\": \\\"guten tag\\\"}\"\n";
  EXPECT_THAT(hear("auto", bytes), ElementsAre("~guten", "=guten tag"));
  EXPECT_THAT(hear("auto", "Verbunden.\n" + bytes),
              ElementsAre("Verbunden.", ".", "~guten", "=guten tag"));
  std::mt19937 random(6);
  for (int round = 0; round < 50; ++round) {
    ASSERT_THAT(hear_in_pieces("auto", "Ja.\n" + bytes, random),
                ElementsAre("Ja.", ".", "~guten", "=guten tag"));
  }
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed("Ja \"{\\\"level\\\": 3}\" und \"{so}\" \"gut\" "),
              ElementsAre("Ja", "und", "\"{so}\"", "\"gut\""));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("JSON of no known format")));
  Hearing arrays("auto");
  EXPECT_THAT(
      arrays.feed("So [\"{\\\"text\\\": 1}\", \"{}\"] und \"[{\\\"text\\\": 1}]\" [\"a\"] so "),
      ElementsAre("So", "und", "[\"a\"]", "so"));
  EXPECT_THAT(arrays.notes, ElementsAre(HasSubstr("JSON of no known format")));
  EXPECT_THAT(hear("auto", "\"[{\\\"text\\\": \\\"eins\\\"}]\"\n"), IsEmpty());
  Hearing lines("jsonl");
  EXPECT_THAT(lines.feed("{\"text\": \"gut\"}\n{\"text\": \"{\\\"text\\\": 1}\"}\n"),
              ElementsAre("gut"));
  EXPECT_THAT(lines.notes, ElementsAre(HasSubstr("field text has JSON")));
}

TEST(AutodetectRecogniser, KeepsWordsThatOnlyBeginLikeJson) {
  SpeechRule rule;
  rule.keep_marks = true;
  EXPECT_THAT(hear("auto", "a {lacht} [Zitat] { } [0] {", rule),
              ElementsAre("a", ".", "[lacht]", ".", "[Zitat]", "[0]", "{"));
}

TEST(AutodetectRecogniser, FindsTheWordsAfterJsonThatIsCutOff) {
  EXPECT_THAT(hear("auto", "a {\"b\": \"c\nDas ist\n{\"d\": Haus gut"),
              ElementsAre("a", "Das", "ist", "Haus", "gut"));
  EXPECT_THAT(hear("auto", "a {\"b\": "), ElementsAre("a"));
}

TEST(AutodetectRecogniser, ReadsAnArrayOfMessages) {
  EXPECT_THAT(hear("auto", "[ {\"partial\": \"gut\"},\n{\"text\": \"gut\"}]"),
              ElementsAre("~gut", "=gut"));
}

TEST(TextFormat, TranslatesJsonIfItIsAskedTo) {
  EXPECT_THAT(hear("text", "{\"a\": 1}"), ElementsAre("{\"a\":", "1}"));
}

TEST(AutodetectRecogniser, SeparatesNumbersThatAreWordsFromColumns) {
  EXPECT_THAT(hear("auto", "2024 war gut"), ElementsAre("2024", "war", "gut"));
  EXPECT_THAT(hear("auto", "12.5 Grad"), ElementsAre("12.5", "Grad"));
  EXPECT_THAT(hear("auto", "12"), ElementsAre("12"));
  EXPECT_THAT(hear("auto", "12.0000 20 300 40 Grad\n"), ElementsAre("40@0.3", "Grad@0.3"));
  EXPECT_THAT(hear("auto", "20 300 40 Grad\n"), ElementsAre("40@0.3", "Grad@0.3"));
  EXPECT_THAT(hear("auto", "1 2 Test\nguten Tag\n"), ElementsAre("1", "2", "Test", "guten", "Tag"));
  EXPECT_THAT(hear("auto", "10 30 Uhr\n"), ElementsAre("10", "30", "Uhr"));
}

TEST(AutodetectRecogniser, KeepsAnAmbiguousObjectUntilAnotherDecides) {
  Hearing hearing("auto");
  hearing.feed("{\"text\": \"\"}\n");
  EXPECT_THAT(hearing.notes, IsEmpty());
  EXPECT_THAT(hearing.feed("{\"partial\": \"guten\"}"), ElementsAre("~guten"));
  EXPECT_THAT(hearing.notes, ElementsAre(HasSubstr("recognised as vosk;")));
  EXPECT_THAT(hear("auto", "{\"text\": \"\"}\n{\"text\": \"gut\"}\n"), ElementsAre("gut"));
}

TEST(AutodetectRecogniser, SeparatesDeepgramFromAssemblyAi) {
  EXPECT_THAT(hear("auto", R"({"type":"SpeechStarted","timestamp":1}{"type":"Turn","turn_order":0,)"
                           R"("end_of_turn":true,"transcript":"gut","words":[]})"),
              ElementsAre("=gut"));
}

TEST(AutodetectRecogniser, ReportsAnObjectOfNoFormat) {
  Hearing hearing("auto");
  EXPECT_EQ(hearing.failure("\n{\"words\": 3}"),
            "the input:2: message 1 has an unknown format; surtitle pipe --help lists the formats");
}

TEST(AutodetectRecogniser, ReportsAnInvalidFirstObject) {
  Hearing hearing("auto");
  EXPECT_THAT(hearing.failure("{\"text\" 3}"), HasSubstr("message 1 is not valid JSON"));
}

TEST(AutodetectRecogniser, TakesBracesWithoutJsonForWords) {
  SpeechRule rule;
  rule.keep_marks = true;
  EXPECT_THAT(hear("auto", "{Husten} Entschuldigung.\nGuten Tag.\n", rule),
              ElementsAre("[Husten]", ".", "Entschuldigung.", "Guten", "Tag."));
  EXPECT_THAT(hear("auto", "{\\an8}Guten Morgen.\n"), ElementsAre("Guten", "Morgen."));
  EXPECT_THAT(hear("auto", "{"), ElementsAre("{"));
}

// --- a prefix before the JSON of each line ---

const std::vector<std::string>& prefixes() {
  static const std::vector<std::string> all{"< ",
                                            "> ",
                                            "data: ",
                                            "data:",
                                            "asr-1  | ",
                                            "asr_1 | ",
                                            "[10:00:01] ",
                                            "[asr] ",
                                            "10:00:01.123 ",
                                            "10:00:01 INFO ",
                                            "2026-11-28T10:00:01Z ",
                                            "2026-11-28 10:00:01,123 - root - INFO - ",
                                            "INFO:root:",
                                            "[INFO  asr::main] ",
                                            "- "};
  return all;
}

TEST(AutodetectRecogniser, ReadsTheJsonAfterAPrefix) {
  std::mt19937 random(6);
  for (const std::string& prefix : prefixes()) {
    std::string vosk;
    std::string pretty;
    for (const std::string json :
         {R"({"partial":"das"})", R"({"text":"das haus"})", R"({ "text":"es brennt"})"}) {
      vosk += prefix + json + "\n";
      pretty +=
          prefix + "{\n" + prefix + "  " + json.substr(1, json.size() - 2) + "\n" + prefix + "}\n";
    }
    const auto heard = ElementsAre("~das", "=das haus", "=es brennt");
    for (const std::string& bytes : {vosk, pretty}) {
      for (const std::string format : {"auto", "vosk"}) {
        EXPECT_THAT(hear(format, bytes), heard) << bytes;
        EXPECT_THAT(hear_in_pieces(format, bytes, random), heard) << bytes;
      }
    }
    EXPECT_THAT(hear("auto", "Guten Tag.\n" + vosk),
                ElementsAre("Guten", "Tag.", ".", "~das", "=das haus", "=es brennt"));
    const std::string lines = prefix +
                              R"({"text":"das","final":false})"
                              "\n" +
                              prefix + R"({"text":"so","final":true})";
    for (const std::string format : {"auto", "jsonl"}) {
      EXPECT_THAT(hear(format, lines), ElementsAre("~das", "=so")) << lines;
    }
  }
}

TEST(AutodetectRecogniser, ReadsMessagesOfAServerThroughWscat) {
  EXPECT_THAT(hear("auto",
                   "Connected (press CTRL+C to quit)\n"
                   "< {\"type\":\"Results\",\"is_final\":true,\"channel\":{\"alternatives\":"
                   "[{\"transcript\":\"das haus\"}]}}\n< {\"type\":\"Metadata\"}\n"),
              ElementsAre("+das haus"));
}

TEST(AutodetectRecogniser, PassesOverTheLinesOfServerSentEvents) {
  EXPECT_THAT(hear("auto",
                   "event: result\nid: 1\ndata: {\"partial\":\"das\"}\n\n"
                   "event: result\nid: 2\ndata: {\"text\":\"das haus\"}\n\n"),
              ElementsAre("~das", "=das haus"));
}

TEST(AutodetectRecogniser, KeepsWordsThatOnlyBeginLikeAPrefix) {
  for (const std::string text :
       {"Anna: Guten Tag.", "12:30 Uhr beginnt es.", "INFO die Zeitung", "a-1 b", "- Ja. - Nein.",
        "2026 war gut.", "A/B oder C|D", "3 | 4", "data: und mehr", "x:{y} z"}) {
    std::string words;
    for (const std::string& word : hear("auto", text)) {
      words += (words.empty() ? "" : " ") + word;
    }
    EXPECT_EQ(words, text);
  }
}

TEST(AutodetectRecogniser, CountsMessagesIfNothingElseIsRead) {
  Hearing hearing("auto");
  EXPECT_THAT(hearing.feed("INFO:root:started\nINFO:root:ended\n"), IsEmpty());
  EXPECT_THAT(hearing.finish(), IsEmpty());
  EXPECT_THAT(hearing.notes.back(), HasSubstr("skipped in total: 2 lines or messages"));
}

// --- programs with a log ---

TEST(AutodetectRecogniser, PassesOverTheMessagesOfWhisperCpp) {
  std::string log =
      "init: found 1 capture devices:\n"
      "init:    - Capture device #0: 'Built-in Audio'\n"
      "init:     - sample rate:       16000\n"
      "init:     - format:            33056 (required: 33056)\n"
      "ggml_cuda_init: found 1 CUDA devices:\n"
      "  Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes\n"
      "\n"
      "main: n_new_line = 2, no_context = 1\n"
      "main: using VAD, will transcribe on speech activity\n"
      "\n";
  for (int i = 0; i < 30; ++i) {
    log += "whisper_model_load: n_vocab = 51865\n";
  }
  const std::string block =
      "[Start speaking]\n\n### Transcription 0 START | t0 = 0 ms | t1 = 10000 ms\n\n"
      "[00:00:00.000 --> 00:00:04.000]   Guten Morgen.\n\n### Transcription 0 END\n";
  for (const std::string format : {"auto", "whisper-cpp"}) {
    EXPECT_THAT(hear(format, log + "[Start speaking]\n Guten Morgen.\n"),
                ElementsAre("+Guten Morgen."));
    EXPECT_THAT(hear(format, log + block), ElementsAre("Guten@4", "Morgen.@4", "."));
  }
  EXPECT_THAT(hear("text", log + "Guten Morgen.\n"), ElementsAre("Guten", "Morgen."));
}

TEST(AutodetectRecogniser, PassesOverTheLogOfPocketSphinx) {
  std::string log =
      "Warning: Could not find Mic element\n"
      "Allocating 32 buffers of 2500 samples each\n"
      "INFO: cmd_ln.c(691): Parsing command line:\n"
      "pocketsphinx_continuous \\\n"
      "\t-hmm model \\\n"
      "\t-inmic yes \n"
      "\n"
      "Current configuration:\n"
      "[NAME]\t\t[DEFLT]\t\t[VALUE]\n"
      "-adcdev\n"
      "-agc\t\tnone\t\tnone\n"
      "-alpha\t\t0.97\t\t9.700000e-01\n"
      "\n"
      "ERROR: \"acmod.c\", line 83: Folder x does not contain the model\n";
  for (int i = 0; i < 30; ++i) {
    log += "INFO: ngram_model_arpa.c(77): No \\\\data\\\\ mark in LM file\n";
  }
  const std::string words = "READY....\nListening...\n000000000: guten morgen\n";
  for (const std::string format : {"auto", "pocketsphinx"}) {
    EXPECT_THAT(hear(format, log + words), ElementsAre("=guten morgen"));
    EXPECT_THAT(hear(format, log + "guten morgen\n"), ElementsAre("=guten morgen"));
  }
  EXPECT_THAT(hear("auto", "000000000: guten morgen\n"), ElementsAre("=guten morgen"));
}

TEST(AutodetectRecogniser, BeginsTheFormatOfALogAfterAnUnknownBanner) {
  const std::string banner = "Willkommen.\n";
  const std::string words = "Listening...\n000000000: guten morgen\n";
  const std::vector<std::string> begins{"READY....\n", "INFO: cmn.c(133): x\n", ""};
  std::mt19937 random(5);
  for (const std::string& begin : begins) {
    if (!begin.empty()) {
      EXPECT_THAT(hear("auto", banner + begin + words),
                  ElementsAre("Willkommen.", ".", "=guten morgen"));
    }
    EXPECT_THAT(hear("auto", banner + begin + words.substr(13)),
                ElementsAre("Willkommen.", ".", "=guten morgen"));
    EXPECT_THAT(hear_in_pieces("auto", banner + begin + words.substr(13), random),
                ElementsAre("Willkommen.", ".", "=guten morgen"));
  }
  EXPECT_THAT(hear("auto", banner + "[Start speaking]\n Guten Morgen.\n"),
              ElementsAre("Willkommen.", ".", "+Guten Morgen."));
  EXPECT_THAT(hear("auto", banner + "READY\nR\n{\"a\": 1} [Start"),
              ElementsAre("Willkommen.", "READY", "R", "[Start"));
}

TEST(AutodetectRecogniser, OfNoInputHasNoMessages) { EXPECT_THAT(hear("auto", " \n"), IsEmpty()); }

}  // namespace
}  // namespace surtitle
