#include "daemon/commands/loadtest.h"

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "daemon/base/fd_limit.h"
#include "daemon/commands/replay_backend.h"
#include "daemon/commands/replay_options.h"
#include "policies/lag_controller.h"

namespace surtitle {
namespace {

struct Options {
  ReplayOptions replay;
  std::string policy;
  int streams = 1;
  std::optional<double> duration;
  std::optional<double> warm_up;
  bool retry = false;
  bool json = false;
};

void run(const Options& options) {
  if (options.streams > 1 && !options.replay.stream.channel.empty()) {
    throw CLI::ValidationError("--channel", "a channel has one stream; leave out --streams");
  }
  if (options.warm_up && options.warm_up >= options.duration) {
    throw CLI::ValidationError("--warm-up must be shorter than --duration");
  }
  raise_fd_limit();
  ReplayInput input = read_input(options.replay.input, "loadtest");
  protocol::Start start = start_of(options.replay, !options.policy.empty(), input);
  if (!options.policy.empty()) {
    start.policy = options.policy;
  }
  DaemonBackend daemon({.url = options.replay.stream.daemon_url(),
                        .speed = speed_of(options.replay),
                        .streams = options.streams,
                        .duration = options.duration,
                        .warm_up = options.warm_up,
                        .retry = options.retry,
                        .print = stdout});
  ReplayResult result = daemon.play(start, input.transcript, /*print=*/false);
  print_warnings("loadtest", result.warnings);
  if (!result.all_failed || options.streams > 1) {
    std::cout << (options.json ? result.report.to_json() + "\n" : result.report.to_table());
  }
  if (!std::cout.flush()) {
    throw std::runtime_error("cannot write the measurements to standard output");
  }
  if (result.failure) {
    throw std::runtime_error(*result.failure);
  }
}

}  // namespace

void add_loadtest_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("loadtest", "Send a log to a daemon on many streams; measure its delays");
  auto options = std::make_shared<Options>();
  add_replay_options(*command, options->replay);
  command->add_option(
      "--policy", options->policy,
      "such as " + stream_policy_examples() + " (default: the log's own, else the server's)");
  command
      ->add_option("--streams", options->streams,
                   "number of simultaneous copies of the stream, with staggered starts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--duration", options->duration,
                   "seconds of each stream, which repeats the log (default: the log once)")
      ->check(above_zero());
  command
      ->add_option(
          "--warm-up", options->warm_up,
          "seconds at the start of --duration that are not measured (all streams start within 10 "
          "seconds); words and sentences are then measured until the first stream ends")
      ->check(above_zero())
      ->needs("--duration");
  command->add_flag(
      "--retry", options->retry,
      "retry a stream that the daemon rejects as overloaded, after the time that it requests, for "
      "up to --duration or, without that, until it is accepted (default: the stream fails)");
  command->add_flag("--json", options->json, "print one JSON object instead of the table");
  command->footer(
      "Write delay: the time from sending the source word that a write needs to its arrival.\n"
      "AL and the other metrics of latency are means over sentences, in words.\n"
      "Exit code: 1 if a stream failed.\n"
      "Example:\n"
      "  surtitle loadtest talk.txt --rate 2.5 --streams 1000 --duration 60 --json");
  command->callback([options, command] {
    note_given_options(*command, options->replay);
    run(*options);
  });
}

}  // namespace surtitle
