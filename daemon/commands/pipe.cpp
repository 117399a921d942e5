#include "daemon/commands/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/commands/pipe_options.h"
#include "daemon/pipe/descriptor_input.h"
#include "daemon/pipe/websocket_input.h"
#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

struct Options {
  PipeCommandOptions pipe;
  std::string format = "auto";
  std::string from;  // empty: standard input
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const RecogniserFormat& format : recogniser_formats()) {
    names.emplace_back(format.name);
  }
  return names;
}

std::string format_help() {
  std::string help = "Formats of the input:\n";
  for (const RecogniserFormat& format : recogniser_formats()) {
    const std::string name(format.name);
    help += "  " + name + std::string(26 - name.size(), ' ') + std::string(format.help) + "\n";
  }
  return help;
}

// Returns an observer that reports once, when the daemon is ready, that words are to be typed.
std::function<void(const protocol::ServerMessage&)> announce_wait(const PipeOptions& pipe) {
  return [warn = pipe.warn, done = false](const protocol::ServerMessage& message) mutable {
    if (std::holds_alternative<protocol::Ready>(message) && !std::exchange(done, true)) {
      warn("waits for words from this terminal; Ctrl-D on an empty line ends the input");
    }
  };
}

void run(const CLI::App& command, const Options& options) {
  if (options.from.empty() &&
      fcntl(STDIN_FILENO, F_GETFD) < 0) {  // a socket would reuse the descriptor
    throw std::runtime_error("standard input is closed");
  }
  PipeOptions pipe = options.pipe.run_options(command, *recogniser_format_by_name(options.format));
  if (options.pipe.output.empty() && options.format == "jsonl") {
    pipe.output = PipeOutput::kJsonLines;
  }
  if (options.from.empty()) {
    pipe.input = "standard input";
    if (isatty(STDIN_FILENO) != 0) {
      pipe.observe = announce_wait(pipe);
    }
    run_pipe(pipe, [&](const asio::any_io_executor& /*executor*/) {
      return std::make_shared<DescriptorInput>(STDIN_FILENO, pipe.input);
    });
    return;
  }
  WebSocketUrl from = parse_websocket_url(options.from);
  from.ca_file = options.pipe.stream.ca_file;
  pipe.input = from.text;
  run_pipe(pipe, [&](const asio::any_io_executor& executor) {
    return std::make_shared<WebSocketInput>(executor, from, pipe.warn);
  });
}

}  // namespace

void add_pipe_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "pipe", "Translate standard input, or the output of a recogniser's server, as it arrives");
  auto options = std::make_shared<Options>();
  command->add_option("--format", options->format, "format of the input, see below")
      ->check(one_of(format_names()))
      ->option_text("NAME [auto]");
  command
      ->add_option(
          "--from", options->from,
          "WebSocket server of a recogniser to read from instead of standard input (ws:// or "
          "wss://)")
      ->check(CLI::Validator(url_problem, ""))
      ->option_text("URL");
  add_pipe_options(*command, options->pipe);
  command->get_option("--output")
      ->option_text("text|jsonl|simulstreaming [text, or jsonl with --format jsonl]");
  command->footer(
      format_help() +
      "text: a word is sent when white space follows it. Sentence punctuation or a blank line\n"
      "ends the sentence.\n"
      "jsonl: the lines are\n"
      "  {\"text\": \"Guten Morgen\", \"time\": 1.25}   words; the time in seconds is optional\n"
      "  {\"text\": \"Guten Mor\", \"final\": false}    the recogniser's hypothesis so far\n"
      "A line or message that is not of the format is skipped. Each kind is reported once, and "
      "the\n"
      "count at the end. Nothing readable in the first 20 ends pipe with exit code 1.\n"
      "auto: the input is kept until the format is recognised; then the name of the format is\n"
      "printed, unless it is text, and the input is sent. JSON is never taken for words; with\n"
      "--format text, it is.\n"
      "Ctrl-C ends the input; the words before it are still translated. A second Ctrl-C stops at\n"
      "once. If the connection to surtitled is lost, or surtitled restarts on its journal, pipe\n"
      "reconnects and continues the stream, within the time that surtitled waits for it (30\n"
      "seconds, --resume-timeout of surtitled). After that time, pipe ends with exit code 1.\n"
      "If the connection to a recogniser's server is lost, pipe retries until it succeeds. The\n"
      "words that were recognised meanwhile are missing.\n"
      "Examples:\n"
      "  echo 'Guten Morgen, meine Damen und Herren.' | surtitle pipe\n"
      "  python3 -u test_microphone.py | surtitle pipe --format vosk --channel main");
  command->callback([options, command] { run(*command, *options); });
}

}  // namespace surtitle
