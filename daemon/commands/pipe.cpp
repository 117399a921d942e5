#include "daemon/commands/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/commands/stream_options.h"
#include "daemon/pipe/pipe_run.h"

namespace surtitle {
namespace {

struct Options {
  StreamOptions stream;
  std::string format = "auto";
  std::string output;  // empty: jsonl if the format is jsonl, else text
  std::string from;    // empty: standard input
  std::optional<int> agreement;
  std::vector<std::string> keep;
  bool source_form_given = false;
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

PipeOutput output_of(const Options& options) {
  const std::string& name = options.output.empty() ? options.format : options.output;
  return name == "jsonl"                      ? PipeOutput::kJsonLines
         : options.output == "simulstreaming" ? PipeOutput::kSimulStreaming
                                              : PipeOutput::kText;
}

SpeechRule speech_rule(const Options& options) {
  const auto is_kept = [&](std::string_view kind) {
    return std::find(options.keep.begin(), options.keep.end(), kind) != options.keep.end();
  };
  return {is_kept("marks"), is_kept("hesitations"), is_kept("speakers"), options.stream.source};
}

PipeOptions pipe_options(const Options& options) {
  PipeOptions pipe;
  pipe.url = options.stream.address();
  pipe.start = options.stream.start();
  pipe.start.agreement = options.agreement;
  pipe.format = recogniser_format_by_name(options.format);
  if (!options.source_form_given && pipe.format->source_form == SourceForm::kSpoken) {
    pipe.start.source_form = TextForm::kSpoken;
  }
  if (!options.from.empty()) {
    pipe.from = parse_websocket_url(options.from);
    pipe.from->authorities = options.stream.authorities;
  }
  pipe.speech = speech_rule(options);
  pipe.source_form_given = options.source_form_given;
  pipe.descriptor = STDIN_FILENO;
  pipe.output = output_of(options);
  pipe.out = stdout;
  pipe.warn = [](const std::string& warning) {
    std::cerr << "surtitle pipe: " << warning << std::endl;
  };
  return pipe;
}

void wait_for_interrupt(asio::signal_set& signals, PipeRun& run) {
  signals.async_wait([&signals, &run](const boost::system::error_code& error, int /*signal*/) {
    if (!error) {
      run.stop();
      wait_for_interrupt(signals, run);
    }
  });
}

void run(const Options& options) {
  if (options.from.empty() &&
      fcntl(STDIN_FILENO, F_GETFD) < 0) {  // a socket would reuse the descriptor
    throw std::runtime_error("standard input is closed");
  }
  std::signal(SIGPIPE, SIG_IGN);  // write() reports a closed reader instead
  asio::io_context io(1);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  const auto pipe = std::make_shared<PipeRun>(io.get_executor(), pipe_options(options));
  wait_for_interrupt(signals, *pipe);
  std::exception_ptr failure;
  asio::co_spawn(io, pipe->run(), [&](const std::exception_ptr& error) {
    failure = error;
    signals.cancel();
  });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace

void add_pipe_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "pipe", "Translate standard input, or the output of a recogniser's server, as it arrives");
  auto options = std::make_shared<Options>();
  command->add_option("--format", options->format, "format of the input, see below")
      ->check(CLI::IsMember(format_names()))
      ->option_text("NAME [auto]");
  command
      ->add_option("--output", options->output,
                   "text: one line per sentence; jsonl: the server's write, sentence, revision and "
                   "attention messages; simulstreaming: rows in the format of its translator")
      ->check(CLI::IsMember(std::vector<std::string>{"text", "jsonl", "simulstreaming"}))
      ->option_text("text|jsonl|simulstreaming [text, or jsonl with --format jsonl]");
  command
      ->add_option(
          "--from", options->from,
          "WebSocket server of a recogniser to read from instead of standard input (ws:// or "
          "wss://)")
      ->check(CLI::Validator(url_problem, ""))
      ->option_text("URL");
  command
      ->add_option("--agreement", options->agreement,
                   "hypotheses in a row that must agree on a word before it is translated")
      ->check(CLI::Range(1, protocol::kMaxAgreement))
      ->option_text("1 to 10 [2]");
  command
      ->add_option(
          "--keep", options->keep,
          "what is left out otherwise: marks such as [Applaus] and (Musik), which viewers see as "
          "marks; hesitations such as \"äh\" and labels of speakers such as \"Speaker 1:\", which "
          "are translated as words")
      ->check(CLI::IsMember(std::vector<std::string>{"marks", "hesitations", "speakers"}))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("marks,hesitations,speakers");
  add_stream_options(*command, options->stream);
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
  command->callback([options, command] {
    options->source_form_given = command->count("--source-form") > 0;
    run(*options);
  });
}

}  // namespace surtitle
