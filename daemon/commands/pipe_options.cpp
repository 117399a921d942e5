#include "daemon/commands/pipe_options.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <string_view>

namespace surtitle {
namespace {

PipeOutput output_by_name(std::string_view name) {
  return name == "jsonl"            ? PipeOutput::kJsonLines
         : name == "simulstreaming" ? PipeOutput::kSimulStreaming
                                    : PipeOutput::kText;
}

void wait_for_interrupt(asio::signal_set& signals, PipeRun& run) {
  signals.async_wait([&signals, &run](const boost::system::error_code& error, int /*signal*/) {
    if (!error) {
      run.stop();
      wait_for_interrupt(signals, run);
    }
  });
}

}  // namespace

PipeOptions PipeCommandOptions::run_options(const CLI::App& command,
                                            const RecogniserFormat& format) const {
  const auto is_kept = [&](std::string_view kind) {
    return std::find(keep.begin(), keep.end(), kind) != keep.end();
  };
  PipeOptions run;
  run.url = stream.address();
  run.start = stream.start();
  run.start.agreement = agreement;
  run.format = &format;
  run.source_form_given = command.count("--source-form") > 0;
  if (!run.source_form_given && format.source_form == SourceForm::kSpoken) {
    run.start.source_form = TextForm::kSpoken;
  }
  run.speech = {is_kept("marks"), is_kept("hesitations"), is_kept("speakers"), stream.source};
  run.output = output_by_name(output);
  run.out = stdout;
  run.warn = [name = command.get_name()](const std::string& warning) {
    std::cerr << "surtitle " << name << ": " << warning << std::endl;
  };
  return run;
}

void add_pipe_options(CLI::App& command, PipeCommandOptions& options) {
  command
      .add_option("--output", options.output,
                  "text: one line per sentence; jsonl: the server's write, sentence, revision and "
                  "attention messages; simulstreaming: rows in the format of its translator")
      ->check(CLI::IsMember(std::vector<std::string>{"text", "jsonl", "simulstreaming"}))
      ->option_text("text|jsonl|simulstreaming [text]");
  command
      .add_option("--agreement", options.agreement,
                  "hypotheses in a row that must agree on a word before it is translated")
      ->check(CLI::Range(1, protocol::kMaxAgreement))
      ->option_text("1 to 10 [2]");
  command
      .add_option(
          "--keep", options.keep,
          "what is left out otherwise: marks such as [Applaus] and (Musik), which viewers see as "
          "marks; hesitations such as \"äh\" and labels of speakers such as \"Speaker 1:\", which "
          "are translated as words")
      ->check(CLI::IsMember(std::vector<std::string>{"marks", "hesitations", "speakers"}))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("marks,hesitations,speakers");
  add_stream_options(command, options.stream);
}

void run_pipe(const PipeOptions& options, const OpenInput& open_input) {
  std::signal(SIGPIPE, SIG_IGN);  // write() reports a closed reader instead
  asio::io_context io(1);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  const auto run =
      std::make_shared<PipeRun>(io.get_executor(), options, open_input(io.get_executor()));
  wait_for_interrupt(signals, *run);
  std::exception_ptr failure;
  asio::co_spawn(io, run->run(), [&](const std::exception_ptr& error) {
    failure = error;
    signals.cancel();
  });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace surtitle
