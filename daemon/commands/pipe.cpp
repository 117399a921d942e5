#include "daemon/commands/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "daemon/commands/stream_options.h"
#include "daemon/pipe_run.h"

namespace surtitle {
namespace {

struct Options {
  StreamOptions stream;
  std::string format = "text";
  std::string output;  // where empty: format
};

PipeFormat format_by_name(const std::string& name) {
  return name == "jsonl" ? PipeFormat::kJsonLines : PipeFormat::kText;
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
  if (fcntl(STDIN_FILENO, F_GETFD) < 0) {  // its number would soon be that of a socket
    throw std::runtime_error("standard input is closed");
  }
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is seen when writing
  asio::io_context io(1);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  const auto pipe = std::make_shared<PipeRun>(
      io.get_executor(),
      PipeOptions{parse_url(options.stream.url), options.stream.start(),
                  format_by_name(options.format),
                  format_by_name(options.output.empty() ? options.format : options.output),
                  STDIN_FILENO, stdout, [](const std::string& warning) {
                    std::cerr << "surtitle pipe: " << warning << std::endl;
                  }});
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
  auto* command =
      app.add_subcommand("pipe", "Translate standard input to standard output as it comes");
  auto options = std::make_shared<Options>();
  const CLI::IsMember formats(std::vector<std::string>{"text", "jsonl"});
  command
      ->add_option("--format", options->format,
                   "text: words in, a line for each sentence out; jsonl: JSON lines both ways")
      ->check(formats)
      ->option_text("text|jsonl [text]");
  command->add_option("--output", options->output, "format of the output alone")
      ->check(formats)
      ->option_text("text|jsonl [that of --format]");
  add_stream_options(*command, options->stream);
  command->footer(
      "Text: a word is sent when the white space after it is there; a blank line ends the\n"
      "sentence, and so does sentence punctuation. JSON lines are one of\n"
      "  {\"text\": \"Guten Morgen\", \"time\": 1.25}   words; time in seconds, may be missing\n"
      "  {\"text\": \"Guten Mor\", \"final\": false}    a recogniser's hypothesis so far\n"
      "and what comes out are the server's write and sentence messages. Ctrl-C ends the input;\n"
      "what was said is still translated.\n"
      "Examples:\n"
      "  echo 'Guten Morgen, meine Damen und Herren.' | surtitle pipe\n"
      "  recogniser --json | surtitle pipe --format jsonl --channel main --output text");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
