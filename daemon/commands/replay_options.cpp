#include "daemon/commands/replay_options.h"

#include <cmath>
#include <iostream>
#include <limits>
#include <utility>

#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

double parse_speed(const std::string& text) {
  double speed = 0;
  if (text == "max" || (CLI::detail::lexical_cast(text, speed) && speed == 0)) {
    return std::numeric_limits<double>::infinity();
  }
  return speed;
}

std::string speed_problem(const std::string& text) {
  double speed = 0;
  return text == "max" ||
                 (CLI::detail::lexical_cast(text, speed) && std::isfinite(speed) && speed >= 0)
             ? std::string()
             : "must be a number above 0, or 0 or max for as fast as possible, not " + text;
}

// Applies `remove` to the changes in the log. Changes of nothing are then left out.
template <typename Remove>
void remove_changes(ReplayInput& input, const Remove& remove) {
  for (TimedText& timed : input.transcript.texts) {
    for (protocol::Configure& change : timed.changes) {
      remove(change);
    }
    std::erase_if(timed.changes, [](const protocol::Configure& change) {
      return change == protocol::Configure{change.track, {}, {}, {}};
    });
  }
}

}  // namespace

void add_replay_input_options(CLI::App& command, ReplayInputOptions& options) {
  command
      .add_option(
          "log", options.log,
          "a stream's log (surtitled --stream-logs), SimulEval's instances.log, JSON lines "
          "{\"time\": seconds, \"text\": \"..\"}, subtitles (SRT or WebVTT), recorded output "
          "of a recogniser, or plain text; -: read standard input")
      ->required();
  command
      .add_option("--format", options.format,
                  "format of the log: " + std::string(kReplayFormats) +
                      "; auto: recognise it by the first line")
      ->capture_default_str()
      ->check(one_of({"auto", "stream", "instances", "timed", "text", "subtitles", "recogniser"}));
  command.add_option("--track", options.track,
                     "track of a stream's log that has several translations (default: the first)");
  command.add_option("--rate", options.rate, "words per second for plain text and instances.log")
      ->capture_default_str()
      ->check(above_zero());
}

void add_replay_options(CLI::App& command, ReplayOptions& options) {
  add_replay_input_options(command, options.input);
  command
      .add_option("--speed", options.speed,
                  "2: replay the log in half its time; 0 or max: as fast as possible")
      ->capture_default_str()
      ->check(CLI::Validator(speed_problem, ""));
  add_stream_options_but_policy(command, options.stream);
}

void note_given_options(const CLI::App& command, ReplayOptions& options) {
  options.source_given = command.count("--source") > 0;
  options.target_given = command.count("--target") > 0;
  options.source_form_given = command.count("--source-form") > 0;
}

ReplayInput read_input(const ReplayInputOptions& options, const std::string& command) {
  ReplayInput input = read_replay_input(
      options.log, {replay_format_by_name(options.format), options.rate, options.track});
  print_warnings(command, input.warnings);
  return input;
}

double speed_of(const ReplayOptions& options) { return parse_speed(options.speed); }

protocol::Start start_of(const ReplayOptions& options, bool policy_given, ReplayInput& input) {
  protocol::Start start = options.stream.start();
  if (!input.head) {
    return start;
  }
  const protocol::Track& track = input.head->tracks.front();
  start.source = options.source_given ? start.source : input.head->source;
  start.target = options.target_given ? start.target : track.target;
  if (options.source_form_given) {
    remove_changes(input, [](protocol::Configure& change) { change.source_form.reset(); });
  } else {
    start.source_form = input.head->source_form;
  }
  const bool same_model = !start.model;
  if (same_model) {
    start.model = track.model;
  }
  if (same_model && !policy_given) {
    start.policy = track.policy;
    return start;
  }
  remove_changes(input, [](protocol::Configure& change) {
    change.model.reset();
    change.policy.reset();
  });
  return start;
}

void print_warnings(const std::string& command, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::cerr << "surtitle " << command << ": " << warning << std::endl;
  }
}

void add_moved_options(CLI::App& command, const std::vector<std::string>& flags,
                       const std::string& other) {
  for (const std::string& flag : flags) {
    command
        .add_option_function<std::string>(flag,
                                          [flag, other](const std::string& /*value*/) {
                                            throw CLI::ValidationError(
                                                flag, "use `surtitle " + other + "`");
                                          })
        ->expected(0, 1)
        ->group("");
  }
}

}  // namespace surtitle
