#include "daemon/commands/listen.h"

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/commands/pipe_options.h"
#include "daemon/commands/subtitle_files.h"
#include "daemon/pipe/speech_input.h"
#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

struct Options {
  PipeCommandOptions pipe;
  std::string file;  // empty: a microphone
  std::string device;
  std::string recogniser;
  std::string protocol = "auto";
  bool microphone = false;
  bool fast = false;
  SubtitleFiles subtitles;
};

std::vector<std::string> protocol_names() {
  std::vector<std::string> names{"auto"};
  for (const SpeechProtocolRow& row : speech_protocols()) {
    names.emplace_back(row.name);
  }
  return names;
}

const SpeechProtocolRow& protocol_of(const Options& options, const WebSocketUrl& url) {
  const SpeechProtocolRow* protocol = options.protocol == "auto"
                                          ? speech_protocol_of(url)
                                          : speech_protocol_by_name(options.protocol);
  if (protocol == nullptr) {
    throw CLI::ValidationError("--recogniser-protocol",
                               "must be given for " + url.text +
                                   ", as neither its path nor its port shows the recogniser");
  }
  return *protocol;
}

std::unique_ptr<AudioInput> open_audio(const Options& options) {
  if (options.file.empty() && !options.microphone) {
    throw CLI::RequiredError("FILE or --microphone");
  }
  return options.microphone ? AudioInput::open_microphone(options.device)
                            : AudioInput::open_file(options.file);
}

void run(const CLI::App& command, Options& options) {
  WebSocketUrl url = parse_websocket_url(options.recogniser);
  url.ca_file = options.pipe.stream.ca_file;
  const SpeechProtocolRow& protocol = protocol_of(options, url);
  std::unique_ptr<AudioInput> audio = open_audio(options);
  options.subtitles.check();
  PipeOptions pipe = options.pipe.run_options(command, *recogniser_format_by_name(protocol.name));
  pipe.input = url.text;
  pipe.start.echo = options.subtitles.requested();
  pipe.observe = [&](const protocol::ServerMessage& message) { options.subtitles.add(message); };
  if (options.microphone) {
    pipe.warn("recording by " + audio->program() + "; Ctrl-C ends the recording");
  }
  std::exception_ptr failure;
  try {
    run_pipe(pipe, [&](const asio::any_io_executor& executor) {
      return std::make_shared<SpeechInput>(
          executor, SpeechInputOptions{url, &protocol, options.fast, pipe.warn}, std::move(audio));
    });
  } catch (const std::exception&) {
    failure = std::current_exception();  // what was translated before is kept
  }
  options.subtitles.write();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace

void add_listen_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "listen", "Translate a sound file or a microphone, by a server that recognises speech");
  auto options = std::make_shared<Options>();
  auto* file = command->add_option("file", options->file, "sound file, in any format of ffmpeg")
                   ->option_text("FILE");
  auto* microphone =
      command
          ->add_flag("--microphone", options->microphone, "record a microphone instead of a file")
          ->excludes(file);
  command
      ->add_option("--device", options->device,
                   "microphone of PulseAudio or PipeWire (pulse, pulse:SOURCE) or of ALSA (alsa, "
                   "alsa:DEVICE) (default: the first of them that has a program)")
      ->needs(microphone)
      ->check(CLI::Validator(device_problem, ""));
  command
      ->add_option("--recogniser", options->recogniser,
                   "WebSocket server of a recogniser (ws:// or wss://)")
      ->required()
      ->check(CLI::Validator(url_problem, ""))
      ->option_text("URL");
  command
      ->add_option("--recogniser-protocol", options->protocol,
                   "kind of the recogniser; auto: whisperlivekit if the path ends in /asr, vosk on "
                   "port 2700, sherpa-onnx on port 6006")
      ->check(one_of(protocol_names()))
      ->option_text("NAME [auto]");
  command->add_flag(
      "--fast", options->fast,
      "send the file as fast as the recogniser accepts it, not at the pace of speech");
  options->subtitles.add_options(*command);
  add_pipe_options(*command, options->pipe);
  command->footer(
      "The speech is sent as 16 bits, one channel, 16 kHz. A WAV file of that form is read\n"
      "directly, any other file by ffmpeg. A microphone is recorded by parec, arecord or ffmpeg.\n"
      "Subtitles have the times of the speech. With --fast and a recogniser that sends no times,\n"
      "they are those of the last speech sent.\n"
      "Ctrl-C ends the speech; the words before it are still translated. A second Ctrl-C stops at\n"
      "once. If a connection is lost, listen retries as surtitle pipe does, and names the part of\n"
      "the speech whose words may be missing.\n"
      "Examples:\n"
      "  surtitle listen talk.mp3 --recogniser ws://127.0.0.1:8000/asr --vtt talk.vtt\n"
      "  surtitle listen --microphone --recogniser ws://127.0.0.1:2700 --channel main");
  command->callback([options, command] { run(*command, *options); });
}

}  // namespace surtitle
