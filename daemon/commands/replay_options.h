// Options of the commands that replay a log, and the start message of its streams.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "daemon/commands/stream_options.h"
#include "daemon/protocol/protocol.h"
#include "daemon/replay/replay_input.h"

namespace surtitle {

struct ReplayInputOptions {
  std::string log;
  std::string format = "auto";
  std::string track;
  double rate = 2.5;
};

struct ReplayOptions {
  ReplayInputOptions input;
  StreamOptions stream;
  std::string speed = "1";
  bool source_given = false;
  bool target_given = false;
  bool source_form_given = false;
};

// Declares the log and how to read it. REQUIRES: `options` outlives `command`.
void add_replay_input_options(CLI::App& command, ReplayInputOptions& options);

// Declares the log, --speed, and the options of streams except --policy. REQUIRES: `options`
// outlives `command`.
void add_replay_options(CLI::App& command, ReplayOptions& options);

// Sets which options were given. Call it once the command line is parsed.
void note_given_options(const CLI::App& command, ReplayOptions& options);

// Reads the log and prints the warnings as those of `command`. Throws std::runtime_error.
ReplayInput read_input(const ReplayInputOptions& options, const std::string& command);

// Returns the number for --speed; "max" is infinity.
double speed_of(const ReplayOptions& options);

// Returns the start message of the replay. Languages and source form are the log's unless options
// give them. Model and policies are the log's unless options give either. Changes in the log of
// something that an option gives are removed from `input`.
protocol::Start start_of(const ReplayOptions& options, bool policy_given, ReplayInput& input);

// Prints one line for each warning of `command`.
void print_warnings(const std::string& command, const std::vector<std::string>& warnings);

// Declares `flags` as options that another command has. They are not in the help, and their use is
// an error that names `other`.
void add_moved_options(CLI::App& command, const std::vector<std::string>& flags,
                       const std::string& other);

}  // namespace surtitle
