#include "daemon/commands/pipe_options.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

PipeOutput output_by_name(std::string_view name) {
  return name == "jsonl"            ? PipeOutput::kJsonLines
         : name == "simulstreaming" ? PipeOutput::kSimulStreaming
                                    : PipeOutput::kText;
}

// Parses "NAME=KEY=VALUE[,KEY=VALUE]". A policy may have commas of its own, so it is the last key.
// Throws std::invalid_argument, "must be ...".
protocol::TrackRequest parse_track(std::string_view text) {
  const std::invalid_argument wrong(
      "must be NAME=KEY=VALUE[,KEY=VALUE] with the keys target, model and, last, policy, such as "
      "second=policy=wait-k:k=3, not " +
      std::string(text));
  const std::size_t equals = std::min(text.find('='), text.size());
  protocol::TrackRequest track{std::string(text.substr(0, equals)), {}, {}, {}};
  text.remove_prefix(std::min(equals + 1, text.size()));
  if (!protocol::is_channel_name(track.name) || text.empty()) {
    throw wrong;
  }
  while (!text.empty()) {
    const std::string_view key = text.substr(0, text.find('='));
    std::string_view value = text.substr(std::min(key.size() + 1, text.size()));
    if (key != "policy") {
      value = value.substr(0, value.find(','));
    }
    std::optional<std::string>* const field = key == "target"   ? &track.target
                                              : key == "model"  ? &track.model
                                              : key == "policy" ? &track.policy
                                                                : nullptr;
    if (field == nullptr || *field || value.empty()) {
      throw wrong;
    }
    *field = value;
    text.remove_prefix(std::min(key.size() + 1 + value.size() + 1, text.size()));
  }
  return track;
}

std::string track_problem(const std::string& text) {
  try {
    parse_track(text);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
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
  run.url = stream.daemon_url();
  run.start = stream.start();
  run.start.agreement = agreement;
  for (const std::string& track : tracks) {
    run.start.tracks.push_back(parse_track(track));
  }
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
      ->check(one_of({"text", "jsonl", "simulstreaming"}))
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
      ->check(one_of({"marks", "hesitations", "speakers"}))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("marks,hesitations,speakers");
  command
      .add_option("--track", options.tracks,
                  "a further translation of the same words, by another model or policy or into "
                  "another language, which viewers see by ?track=NAME; may be repeated. With "
                  "--output text, its sentences are lines that begin with [NAME]")
      ->check(CLI::Validator(track_problem, ""))
      ->allow_extra_args(false)
      ->option_text("NAME=[target=LANGUAGE,][model=NAME,][policy=POLICY]");
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
