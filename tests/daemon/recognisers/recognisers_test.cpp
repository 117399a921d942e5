// Every format with its recorded output, whole and in pieces.
#include <gmock/gmock.h>

#include <array>
#include <utility>

#include "model/text/words.h"
#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Recording {
  std::string format;
  std::string file;
  std::vector<std::string> heard;
  bool is_detected = true;  // by --format auto; otherwise it counts as text
};

std::ostream& operator<<(std::ostream& out, const Recording& recording) {
  return out << recording.file;
}

// What the lines of the recording grow by, with the times of their ends.
std::vector<std::string> words_of_whisperlivekit() {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kTexts{{
      {"Guten", "0.36"},
      {"Abend!", "0.72"},
      {"meine Damen und Herren.", "2.5"},
      {"herzlich willkommen zu unserer Veranstaltung im großen Zahle.", "6.72"},
      {"Mit der Schalten-Media-Steaver-Mobil-Telefonaus.", "10"},
      {"Mein", "10.76"},
      {"Name ist Mami Nküger und ich leite einen Rhein-Rhein-Pass Institute für Klimaforschung in "
       "Leipzig.",
       "17.34"},
      {"Heute geht es um die Frage.", "19.52"},
      {"wie", "20.2"},
      {"sie", "20.36"},
      {"uns als Theater auf heißer Norma vor der Eiten können. Im letzten Jahr haben wir uns wohl "
       "fortengemessen.",
       "26.92"},
      {"und die Gegnisse haben uns überrascht.", "29.54"},
      {"In der Innenstadt war es acht, bis zu acht", "32.82"},
      {"Grad, wenn wir als Immunland. Nach der Pause spricht Professor Meber.", "37.48"},
      {"über Bäume.", "38.36"},
      {"Masse und Schatten.", "39.66"},
      {"Fragen können Sie am Ende stellen.", "42.08"},
      {"ein Mikrofon geht.", "43.56"},
  }};
  std::vector<std::string> words;
  for (const auto& [text, time] : kTexts) {
    for (const std::string_view word : split_words(text)) {
      words.push_back(std::string(word) + "@" + std::string(time));
    }
  }
  words.emplace_back(".");
  return words;
}

const std::vector<Recording>& recordings() {
  static const std::vector<Recording> all{
      {"text",
       "text.txt",
       {"Guten", "Morgen,", "meine", "Damen", "und", ".", "Herren.", "Grüß", "Gott"}},
      {"jsonl",
       "json_lines.jsonl",
       {"Guten@1.25", "Morgen@1.25", ".", "~meine da", "~meine damen und@2.5",
        "=meine damen und herren", "Vielen", "Dank"}},
      {"vosk",
       "vosk.json",
       {"~guten", "~guten mor", "~guten morgen meine", "~guten morgen meine dame",
        "~guten morgen meine damen und", "~guten morgen meine damen und herren",
        "=guten morgen meine damen und herren@2.79", "~ich@3.72", "~ich freue mich@4.3",
        "=ich freue mich@4.35", "~vielen", "~vielen dank", "=vielen dank"}},
      {"whisper-streaming",
       "whisper_streaming.txt",
       {"Guten@1.38", "Morgen,@1.38", "meine@2.832", "Damen@2.832", "und@2.832", "Herren.@2.832",
        "2024@4.172", "war@4.172", "ein@5.6", "gutes@5.6", "Jahr.@5.6"}},
      {"whisper-streaming",
       "whisper_streaming_spaces.txt",
       {"Guten@0.832", "Morgen,@1.672", "meine@1.672", "Damen@1.672", "und@2.172", "Herren.@2.3"}},
      {"whisper-streaming-server",
       "whisper_streaming_server.bin",
       {"Guten@1.38", "Morgen,@1.38", "meine@2.832", "Damen@2.832", "und@4.172", "Herren.@4.3",
        "Und@4.3"}},
      {"simulstreaming",
       "simulstreaming.jsonl",
       {"Guten@0.832", "Morgen,@1.9", "meine@1.9", "Damen@1.9", "und@2.6", "Herren@2.6", ".",
        "Vielen@5.9", "Dank@5.9"}},
      {"simulstreaming",
       "simulstreaming_server.jsonl",
       {"Guten@0.832", "Morgen,@1.9", "meine@1.9", "Damen@1.9", "und@2.6", "Herren.@2.6"}},
      {"whisper-cpp",
       "whisper_cpp_steps.txt",
       {"~Guten Mor", "~Guten Morgen, meine Dame", "+Guten Morgen, meine Damen und", "~Herren.",
        "~Herren. Ich freue", "~Herren. Ich freue mich", "=Herren. Ich freue mich"}},
      {"whisper-cpp",
       "whisper_cpp_vad.txt",
       {"Guten@2", "Morgen,@2", "meine@2", "Damen@2", ".", "und@4", "Herren,@4", "ich@4", "freue@4",
        ".", "mich@5.6", "sehr.@5.6", ".", "Sehr@14.5", "gut!@14.5", "."}},
      {"sherpa-onnx",
       "sherpa_onnx_cpp.txt",
       {"~GUTEN@0.32", "~GUTEN MORGEN@0.64", "~GUTEN MORGEN MEINE@0.96",
        "=GUTEN MORGEN MEINE DAMEN@1.2", "~ICH@3.6", "=ICH FREUE@4", "~VIELEN@5.8",
        "=VIELEN \"DANK\"@6.12"}},
      {"sherpa-onnx",
       "sherpa_onnx_python.txt",
       {"~guten", "~guten morgen", "~guten morgen meine", "=guten morgen meine", "~ich",
        "~ich freue mich", "=ich freue mich", "~vielen dank", "=vielen dank"}},
      {"pocketsphinx",
       "pocketsphinx_times.txt",
       {"=where is the house@2.46", "=i am very happy to see you today@7.3",
        "=she has a new car@11.03"},
       /*is_detected=*/false},
      {"pocketsphinx",
       "pocketsphinx_live.jsonl",
       {"=where is the house@2.76", "=she has a new car@6.36"}},
      {"google",
       "google.json",
       {"~guten@0.54", "~guten Morgen meine dame@1.14", "~guten Morgen meine Damen und@1.5",
        "=guten Morgen meine Damen und Herren@2.82", "~ich freue@3.3", "=ich freue mich@4.2",
        "~sehr@4.5", "=sehr@4.5"}},
      {"deepgram",
       "deepgram.jsonl",
       {"~guten@1", "~guten morgen meine@2", "+guten morgen meine damen@2.6", "~und@3.6",
        "=und herren@4", "+ich freue@6", ".", "~vielen dank@9.1", "=vielen dank@9.1"}},
      {"assemblyai",
       "assemblyai.jsonl",
       {"~guten@2", "~guten mor@2.88", "~guten morgen meine@3.1", "=guten morgen meine damen@3.4",
        "=Ich freue mich.@5.5", "~vielen dank@7.4", "=vielen dank@7.4"}},
      {"subtitles",
       "subtitles.srt",
       {"Guten@2.5", "Morgen,@2.5", "meine@2.5", "Damen@2.5", ".", "und@4", "Herren.@4", ".",
        "Danke.@4"}},
      {"whisperlivekit", "whisperlivekit.jsonl", words_of_whisperlivekit()},
      {"whisperlivekit", "whisperlivekit_diff.jsonl", words_of_whisperlivekit()},
      {"whisper-live",
       "whisper_live.jsonl",
       {"~Guten Mor@1", "~Guten Morgen, meine Damen@2", "~Guten Morgen, meine Damen und Herren.@3",
        "+Guten Morgen, meine Damen und Herren.@2.9", "~Ich freue@4",
        "~Ich freue mich sehr. Vielen@5", "~Ich freue mich sehr. Vielen Dank.@6",
        "+Ich freue mich sehr. Vielen Dank.@6.1", "."}},
      {"openai-realtime",
       "openai_realtime.jsonl",
       {"Guten@2.6", "Morgen,@2.6", "meine@2.6", "Damen.@2.6", "Und@2.6", "Herren.@2.6", ".",
        "Ich@4.2", "freue@4.2", "mich.@4.2", "."}},
      {"azure",
       "azure.jsonl",
       {"~guten@0.8", "~guten morgen meine@1.6", "~guten morgen meine damen@2.2",
        "=Guten Morgen, meine Damen.@2.7", "~ich freue@5", "=Ich freue mich.@5.5"}},
      {"aws-transcribe",
       "aws_transcribe.jsonl",
       {"~Guten@0.81", "~Guten Morgen meine@1.6", "=Guten Morgen, meine Damen.@2.7", "~Ich freue@5",
        "=Ich freue mich.@5.5"}},
      {"speechmatics",
       "speechmatics.jsonl",
       {"~Guten Mor@1.1", "~Guten Morgen, meine@2", "~Guten Morgen@1.1",
        "~Guten Morgen, meine Damen@2.6", "+Guten Morgen, meine Damen.@2.6", ".", "~Vielen@4.6",
        "+Vielen@5.2", "~Dank@5.2", "=Dank@5.2"}},
      {"gladia",
       "gladia.jsonl",
       {"~Guten@0.8", "~Guten Morgen, meine@1.6", "=Guten Morgen, meine Damen.@2.7",
        "=Ich freue mich.@5.5"}},
  };
  return all;
}

class EveryFormat : public ::testing::TestWithParam<Recording> {};

TEST_P(EveryFormat, ReadsTheRecordedMessages) {
  EXPECT_THAT(hear(GetParam().format, recorded(GetParam().file)),
              ElementsAreArray(GetParam().heard));
}

TEST_P(EveryFormat, DoesNotDependOnTheDivisionIntoPieces) {
  const std::string bytes = recorded(GetParam().file);
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(hear_in_pieces(GetParam().format, bytes, random), GetParam().heard);
  }
}

TEST_P(EveryFormat, IsDetectedFromItsBeginning) {
  const std::string bytes = recorded(GetParam().file);
  Hearing hearing("auto");
  hearing.feed(bytes);
  if (!GetParam().is_detected || GetParam().format == "text") {
    EXPECT_THAT(hearing.notes, IsEmpty());
    return;
  }
  ASSERT_EQ(hearing.notes.size(), 1U);
  EXPECT_THAT(hearing.notes.front(),
              StartsWith("the input was recognised as " + GetParam().format + ";"));
  std::mt19937 random(12);
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(hear_in_pieces("auto", bytes, random), GetParam().heard);
  }
}

TEST_P(EveryFormat, IgnoresAByteOrderMark) {
  const std::string bytes = "\xEF\xBB\xBF" + recorded(GetParam().file);
  EXPECT_EQ(hear(GetParam().format, bytes), GetParam().heard);
  std::mt19937 random(14);
  for (int round = 0; round < 20; ++round) {
    const std::string format = GetParam().is_detected ? "auto" : GetParam().format;
    ASSERT_EQ(hear_in_pieces(format, bytes, random), GetParam().heard);
  }
}

// Any bytes lead to an error of one line or none, and never to a crash or a hang.
TEST_P(EveryFormat, AcceptsAnyBytes) {
  const std::string bytes = recorded(GetParam().file);
  std::mt19937 random(13);
  for (int round = 0; round < 300; ++round) {
    std::string changed = bytes;
    for (unsigned int changes = 1 + random() % 4; changes > 0; --changes) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    changed.resize(changed.size() - random() % changed.size());
    Hearing hearing(GetParam().format);
    const std::string failure = hearing.failure(changed);
    EXPECT_EQ(failure.find('\n'), std::string::npos);
  }
}

std::string name_of(const ::testing::TestParamInfo<Recording>& recording) {
  return recording.param.file.substr(0, recording.param.file.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Recognisers, EveryFormat, ::testing::ValuesIn(recordings()), name_of);

TEST(RecogniserFormats, EachHaveARecording) {
  for (const RecogniserFormat& format : recogniser_formats()) {
    const bool recorded =
        std::any_of(recordings().begin(), recordings().end(),
                    [&](const Recording& recording) { return recording.format == format.name; });
    EXPECT_TRUE(recorded || format.name == "auto") << format.name;
  }
}

}  // namespace
}  // namespace surtitle
