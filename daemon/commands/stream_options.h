// The flags that every command has that opens a stream, or asks a daemon for something else.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/base/url.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

struct StreamOptions {
  std::string url = "ws://127.0.0.1:8765";
  std::string source = "de";
  std::string target = "en";
  std::string model;
  std::string policy;
  std::string channel;
  std::string source_form{name(TextForm::kWritten)};
  bool attention = false;
  std::string token_file;
  std::string authorities;

  protocol::Start start() const;
  // With the token of the file, of its own or of SURTITLE_TOKEN. Throws std::runtime_error.
  Url address() const;
};

// Declares them, each with its help, default and check. `options` must live as long as `command`.
void add_stream_options(CLI::App& command, StreamOptions& options);
// Only those that say where the daemon is, and who comes.
void add_daemon_options(CLI::App& command, StreamOptions& options);
// Without --policy, for a command that takes several.
void add_stream_options_but_policy(CLI::App& command, StreamOptions& options);

// What is wrong with an address; empty where nothing is.
std::string url_problem(const std::string& text);

// For numbers above 0.
CLI::Validator above_zero();

}  // namespace surtitle
