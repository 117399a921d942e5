// `surtitle listen` as a process, between a scripted recogniser's server and a real daemon.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "daemon/base/clock.h"
#include "daemon/base/json_writer.h"
#include "tests/daemon/recognisers/recogniser_server.h"
#include "tests/daemon/support/command_process.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::size_t kSecond = 32000;  // bytes of 16-bit samples at 16 kHz

// Returns samples that all differ from their neighbours, so that no order but theirs fits.
std::string speech(std::size_t bytes) {
  std::string samples;
  for (std::size_t i = 0; i < bytes / 2; ++i) {
    samples += static_cast<char>(i * 7 & 0xff);
    samples += static_cast<char>(i * 7 >> 8 & 0xff);
  }
  return samples;
}

std::string little_endian(std::size_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(number >> 8 * i & 0xff);
  }
  return text;
}

std::string chunk(const std::string& name, const std::string& bytes) {
  return name + little_endian(bytes.size(), 4) + bytes;
}

std::string wav(const std::string& samples, std::size_t rate = 16000) {
  const std::string format = little_endian(1, 2) + little_endian(1, 2) + little_endian(rate, 4) +
                             little_endian(2 * rate, 4) + little_endian(2, 2) +
                             little_endian(16, 2);
  return chunk("RIFF",
               "WAVE" + chunk("fmt ", format) + chunk("LIST", "a talk") + chunk("data", samples)) +
         (samples.empty() ? "" : chunk("LIST", "no speech"));
}

// The programs that `surtitle` finds, until the end of the scope.
class Programs {
 public:
  explicit Programs(const TemporaryFolder& folder) : folder_(folder), before_(std::getenv("PATH")) {
    setenv("PATH", folder_.path().c_str(), 1);
  }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  ~Programs() { setenv("PATH", before_.c_str(), 1); }

  void add(const std::string& name, const std::string& script) const {
    const std::string file =
        folder_.write(name, "#!/bin/sh\nPATH=" + before_ + "\ncd " + folder_.path().string() +
                                "\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

 private:
  const TemporaryFolder& folder_;
  const std::string before_;
};

class Listen : public ::testing::Test {
 protected:
  std::vector<std::string> listen(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"listen", "--url", url_of(daemon_)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::string asr() const { return server_.url() + "/asr"; }

  // Accepts a connection in the way of WhisperLiveKit.
  void accept_whisperlivekit(bool pcm = true) {
    server_.accept();
    server_.send(std::string(R"({"type":"config","useAudioWorklet":)") + (pcm ? "true" : "false") +
                 R"(,"mode":"full"})");
  }

  // Returns the binary messages up to an empty one, joined.
  std::string receive_whisperlivekit() {
    std::string bytes;
    while (const auto message = server_.receive()) {
      EXPECT_TRUE(message->binary);
      if (message->bytes.empty()) {
        return bytes;
      }
      bytes += message->bytes;
    }
    ADD_FAILURE() << "the client closed the connection before the end of the speech";
    return bytes;
  }

  // Ends the words. The client closes the connection.
  void end_whisperlivekit() {
    server_.send(R"({"type":"ready_to_stop"})");
    EXPECT_FALSE(server_.receive());
  }

  void send_line(const std::string& text, const std::string& end) {
    server_.send(R"({"status":"active_transcription","lines":[{"speaker":1,"text":")" + text +
                 R"(","start":"0:00:00.00","end":")" + end +
                 R"("}],"buffer_transcription":"","buffer_diarization":""})");
  }

  const DaemonProcess daemon_;
  RecogniserServer server_;
  TemporaryFolder folder_;
};

TEST_F(Listen, SendsAFileToWhisperLiveKitAndWritesSubtitlesInItsTimes) {
  const std::string samples = speech(2 * kSecond + 4321 * 2);
  CommandProcess command(listen({folder_.write("talk.wav", wav(samples)), "--fast", "--recogniser",
                                 server_.url() + "/asr?language=de", "--vtt",
                                 folder_.path("talk.vtt"), "--srt", folder_.path("talk.srt")}));
  EXPECT_EQ(server_.accept(), "/asr?language=de");
  server_.send(R"({"type":"config","useAudioWorklet":true,"mode":"full"})");
  EXPECT_EQ(receive_whisperlivekit(), samples);
  send_line(" Guten Morgen.", "0:00:01.25");
  end_whisperlivekit();
  const Ended ended = command.wait();
  EXPECT_EQ(ended.out, "GUTEN MORGEN.\n");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(folder_.read("talk.vtt"), StartsWith("WEBVTT\n\n00:00:01.250 --> "));
  EXPECT_THAT(folder_.read("talk.srt"), StartsWith("1\n00:00:01,250 --> "));
}

TEST_F(Listen, SendsAWavFileIfWhisperLiveKitAsksForAFile) {
  const std::string samples = speech(kSecond);
  CommandProcess command(
      listen({folder_.write("talk.wav", wav(samples)), "--fast", "--recogniser", asr()}));
  accept_whisperlivekit(/*pcm=*/false);
  const std::string sent = receive_whisperlivekit();
  EXPECT_THAT(sent, AllOf(StartsWith("RIFF"), EndsWith(samples)));
  EXPECT_EQ(sent.size(), 44 + samples.size());
  EXPECT_EQ(sent.substr(12, 24), wav("").substr(12, 24)) << "the form of the samples";
  end_whisperlivekit();
  EXPECT_EQ(command.wait().exit_code, 0);
}

TEST_F(Listen, SendsAFileAtThePaceOfSpeech) {
  const TimePoint begin = Clock::now();
  CommandProcess command(
      listen({folder_.write("talk.wav", wav(speech(kSecond / 2))), "--recogniser", asr()}));
  accept_whisperlivekit();
  receive_whisperlivekit();
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(500));
  end_whisperlivekit();
  EXPECT_EQ(command.wait().exit_code, 0);
}

TEST_F(Listen, SpeaksWithTheServerOfVosk) {
  const std::string samples = speech(kSecond);
  CommandProcess command(listen({folder_.write("talk.wav", wav(samples)), "--fast", "--recogniser",
                                 server_.url(), "--recogniser-protocol", "vosk", "--source-form",
                                 "written", "--vtt", folder_.path("talk.vtt")}));
  server_.accept();
  EXPECT_EQ(server_.receive()->bytes, R"({"config" : {"sample_rate" : 16000, "words" : true}})");
  std::string received;
  auto message = server_.receive();
  for (; message && message->binary; message = server_.receive()) {
    received += message->bytes;
    server_.send(received.size() < kSecond / 2 ? R"({"partial" : ""})"
                                               : R"({"partial" : "ja nein"})");
  }
  EXPECT_EQ(received, samples);
  EXPECT_EQ(message->bytes, R"({"eof" : 1})");
  server_.send(R"({"result" : [{"conf" : 1.0, "end" : 0.5, "start" : 0.2, "word" : "ja"},)"
               R"({"conf" : 1.0, "end" : 0.9, "start" : 0.5, "word" : "nein"}],)"
               R"("text" : "ja nein"})");
  server_.close();
  const Ended ended = command.wait();
  EXPECT_EQ(ended.out, "JA NEIN\n");
  EXPECT_EQ(ended.err, "");
  // The second hypothesis that has the word covers 0.6 s of the speech.
  EXPECT_THAT(folder_.read("talk.vtt"), StartsWith("WEBVTT\n\n00:00:00.600 --> "));
}

TEST_F(Listen, ClosesTheConnectionToAServerOfVoskThatAnswersTheConfiguration) {
  CommandProcess command(listen({folder_.write("talk.wav", wav(speech(kSecond / 5))), "--fast",
                                 "--recogniser", server_.url(), "--recogniser-protocol", "vosk"}));
  server_.accept();
  for (int i = 0; i < 3; ++i) {  // the configuration and two messages of speech
    server_.receive();
    server_.send(R"({"partial" : ""})");
  }
  EXPECT_EQ(server_.receive()->bytes, R"({"eof" : 1})");
  server_.send(R"({"text" : "ja"})");
  EXPECT_FALSE(server_.receive());
  EXPECT_EQ(command.wait().out, "JA\n");
}

TEST_F(Listen, SendsFloatingPointNumbersToSherpaOnnx) {
  const std::string samples = speech(kSecond);
  CommandProcess command(
      listen({folder_.write("talk.wav", wav(samples)), "--fast", "--recogniser", server_.url(),
              "--recogniser-protocol", "sherpa-onnx", "--vtt", folder_.path("talk.vtt")}));
  server_.accept();
  std::string received;
  auto message = server_.receive();
  for (; message && message->binary; message = server_.receive()) {
    for (std::size_t i = 0; i < message->bytes.size(); i += sizeof(float)) {
      float number = 0;
      message->bytes.copy(reinterpret_cast<char*>(&number), sizeof number, i);
      received += little_endian(static_cast<std::size_t>(number * 32768), 2);
    }
  }
  EXPECT_EQ(received, samples);
  EXPECT_EQ(message->bytes, "Done");
  server_.send(R"({"text":" JA","tokens":[" JA"],"timestamps":[0.25],"segment":0,)"
               R"("start_time":0.5,"is_final":true,"is_eof":true})");
  server_.send("Done!");
  EXPECT_FALSE(server_.receive());
  const Ended ended = command.wait();
  EXPECT_EQ(ended.out, "JA\n");
  EXPECT_THAT(folder_.read("talk.vtt"), StartsWith("WEBVTT\n\n00:00:00.750 --> "));
}

TEST_F(Listen, EndsIfSherpaOnnxClosesTheConnectionAfterTheLastWords) {
  CommandProcess command(
      listen({folder_.write("talk.wav", wav(speech(kSecond))), "--fast", "--recogniser",
              server_.url(), "--recogniser-protocol", "sherpa-onnx"}));
  server_.accept();
  while (server_.receive()->binary) {
  }
  server_.send(R"({"text": "JA", "segment": 0})");
  server_.close();
  const Ended ended = command.wait();
  EXPECT_EQ(ended.out, "JA\n");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST_F(Listen, ReadsOtherFilesByFfmpeg) {
  const Programs programs(folder_);
  const std::string samples = speech(kSecond);
  folder_.write("samples", samples);
  programs.add("ffmpeg", "echo \"$*\" >arguments; cat samples");
  const std::string file = folder_.write("talk.wav", wav(samples, /*rate=*/44100));
  CommandProcess command(listen({file, "--fast", "--recogniser", asr()}));
  accept_whisperlivekit();
  EXPECT_EQ(receive_whisperlivekit(), samples);
  end_whisperlivekit();
  EXPECT_EQ(command.wait().exit_code, 0);
  EXPECT_EQ(folder_.read("arguments"),
            "-nostdin -v error -i file:" + file + " -vn -ac 1 -ar 16000 -f s16le pipe:1\n");
}

TEST_F(Listen, RecordsAMicrophoneUntilCtrlC) {
  const Programs programs(folder_);
  const std::string samples = speech(kSecond);
  folder_.write("samples", samples);
  programs.add("arecord", "echo \"$*\" >arguments; while :; do cat samples; sleep 0.1; done");
  CommandProcess command(
      listen({"--microphone", "--device", "alsa:hw:1,0", "--recogniser", asr()}));
  accept_whisperlivekit();
  std::string received;
  for (int i = 0; i < 10; ++i) {
    received += server_.receive()->bytes;
  }
  EXPECT_THAT(samples + samples, HasSubstr(received)) << "from when the server was ready";
  command.signal(SIGINT);
  receive_whisperlivekit();
  send_line(" Guten Morgen.", "0:00:00.50");
  end_whisperlivekit();
  const Ended ended = command.wait();
  EXPECT_EQ(ended.out, "GUTEN MORGEN.\n");
  EXPECT_EQ(ended.err, "surtitle listen: recording by arecord; Ctrl-C ends the recording\n");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(folder_.read("arguments"), "-q -t raw -f S16_LE -r 16000 -c 1 -D hw:1,0\n");
}

TEST_F(Listen, ContinuesAfterACutAndNamesTheSpeechThatMayBeMissing) {
  const std::string samples = speech(2 * kSecond);
  CommandProcess command(listen({folder_.write("talk.wav", wav(samples)), "--recogniser", asr(),
                                 "--vtt", folder_.path("talk.vtt")}));
  accept_whisperlivekit();
  for (int i = 0; i < 3; ++i) {
    server_.receive();
  }
  send_line(" Ja.", "0:00:00.20");
  ASSERT_EQ(command.read(3), "JA.");
  server_.cut();
  accept_whisperlivekit();
  const std::string rest = receive_whisperlivekit();
  EXPECT_TRUE(samples.ends_with(rest));
  const std::size_t before = (samples.size() - rest.size()) / (kSecond / 10);  // in 0.1 s
  EXPECT_GE(before, 3U);
  send_line(" Nein.", "0:00:00.50");
  end_whisperlivekit();
  const Ended ended = command.wait();
  EXPECT_EQ(ended.out, "\nNEIN.\n");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err,
              HasSubstr("surtitle listen: the words from 0.2 s to 0." + std::to_string(before) +
                        " s of " + folder_.path("talk.wav") + " may be missing\n"));
  EXPECT_THAT(folder_.read("talk.vtt"),
              AllOf(HasSubstr("\n00:00:00.200 --> "),
                    HasSubstr("\n00:00:0" + std::to_string((before + 5) / 10) + "." +
                              std::to_string((before + 5) % 10) + "00 --> ")));
}

TEST_F(Listen, FailsIfTheRecogniserIsLostBeforeItsLastWords) {
  CommandProcess command(listen({folder_.write("talk.wav", wav(speech(kSecond))), "--fast",
                                 "--recogniser", asr(), "--vtt", folder_.path("talk.vtt")}));
  accept_whisperlivekit();
  receive_whisperlivekit();
  send_line(" Ja.", "0:00:00.20");
  ASSERT_EQ(command.read(3), "JA.");
  server_.cut();
  const Ended ended = command.wait();
  EXPECT_THAT(ended.err,
              AllOf(StartsWith("surtitle listen: the connection to " + asr() + " was lost"),
                    EndsWith(" before all speech was recognised\n")));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(folder_.read("talk.vtt"), HasSubstr("JA.")) << "what was translated is kept";
}

TEST_F(Listen, FailsIfTheRecogniserRefusesTheSpeech) {
  CommandProcess command(
      listen({folder_.write("talk.wav", wav(speech(kSecond))), "--recogniser", asr()}));
  server_.accept();
  server_.send(R"({"type":"error","error":"unsupported language xx"})");
  server_.close(4400);
  const Ended ended = command.wait();
  EXPECT_THAT(ended.err, HasSubstr("unsupported language xx"));
  EXPECT_THAT(ended.err, EndsWith("surtitle listen: the connection to " + asr() +
                                  " was closed by the server with code 4400 before all speech was "
                                  "recognised\n"));
  EXPECT_EQ(ended.exit_code, 1);
}

TEST_F(Listen, FailsIfWhisperLiveKitSendsNoConfiguration) {
  CommandProcess command(
      listen({folder_.write("talk.wav", wav(speech(kSecond))), "--recogniser", asr()}));
  server_.accept();
  const Ended ended = command.wait();
  EXPECT_EQ(ended.err, "surtitle listen: " + asr() +
                           " sent no config message within 5 s; is whisperlivekit running there? "
                           "See --recogniser-protocol\n");
  EXPECT_EQ(ended.exit_code, 1);
}

TEST_F(Listen, FailsInOneSentenceWithoutSpeech) {
  const Programs programs(folder_);
  const auto run = [&](const std::vector<std::string>& speech) {
    std::vector<std::string> arguments = listen(speech);
    arguments.insert(arguments.end(), {"--recogniser", asr()});
    const Ended ended = CommandProcess::run(arguments);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.out, IsEmpty());
    return ended.err;
  };
  const std::string text = folder_.write("text.txt", "Guten Morgen.");
  EXPECT_EQ(
      run({folder_.path("none.wav")}),
      "surtitle listen: cannot open " + folder_.path("none.wav") + ": No such file or directory\n");
  EXPECT_EQ(run({folder_.path().string()}), "surtitle listen: cannot open " +
                                                folder_.path().string() +
                                                ": it is a folder; must be a sound file\n");
  EXPECT_EQ(run({text}), "surtitle listen: cannot read " + text +
                             ": ffmpeg is not installed; without it, the file must be WAV of 16 "
                             "bits, one channel and 16 kHz\n");
  EXPECT_EQ(run({folder_.write("empty.wav", wav(""))}),
            "surtitle listen: " + folder_.path("empty.wav") + " has no sound\n");
  EXPECT_EQ(
      run({"--microphone"}),
      "surtitle listen: cannot record: none of parec, arecord and ffmpeg is installed; Debian "
      "has them in the packages pulseaudio-utils, alsa-utils and ffmpeg\n");
  programs.add("ffmpeg", "echo 'a warning' >&2; echo 'Invalid data found' >&2; exit 1");
  EXPECT_EQ(run({text}), "surtitle listen: cannot read " + text + ": ffmpeg: Invalid data found\n");
  programs.add("parec", "echo 'Connection refused' >&2; exit 1");
  EXPECT_EQ(run({"--microphone"}),
            "surtitle listen: recording by parec; Ctrl-C ends the recording\n"
            "surtitle listen: cannot record the microphone: parec: Connection refused\n");
  EXPECT_THAT(run({text, "--vtt", folder_.path("none/talk.vtt")}),
              HasSubstr("cannot write " + folder_.path("none/talk.vtt") + ": No such file"));
}

TEST_F(Listen, FailsIfNoRecogniserListens) {
  std::string url;
  {
    const RecogniserServer gone;
    url = gone.url() + "/asr";
  }
  const Ended ended = CommandProcess::run(
      listen({folder_.write("talk.wav", wav(speech(kSecond))), "--recogniser", url}));
  EXPECT_EQ(ended.err, "surtitle listen: cannot connect to " + url +
                           ": Connection refused; is a recogniser running there?\n");
  EXPECT_EQ(ended.exit_code, 1);
}

TEST_F(Listen, RefusesAWrongCommandLine) {
  const std::string file = folder_.write("talk.wav", wav(speech(kSecond)));
  const std::vector<std::vector<std::string>> wrong{
      {file},
      {"--recogniser", asr()},
      {file, "--microphone", "--recogniser", asr()},
      {file, "--device", "alsa", "--recogniser", asr()},
      {"--microphone", "--device", "oss", "--recogniser", asr()},
      {file, "--recogniser", "ftp://a"},
      {file, "--recogniser", server_.url()},
      {file, "--recogniser", server_.url(), "--recogniser-protocol", "whisper"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Ended ended = CommandProcess::run(listen(arguments));
    EXPECT_EQ(ended.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(ended.err, Not(IsEmpty()));
  }
}

}  // namespace
}  // namespace surtitle
