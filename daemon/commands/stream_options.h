// Options shared by the commands that connect to a daemon.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/base/websocket_url.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

struct StreamOptions {
  std::string url = "ws://127.0.0.1:8765";
  std::string source = "de";
  std::string target = "en";
  std::string model;
  std::string policy;
  std::string channel;
  protocol::Heading heading;
  std::string source_form{name(TextForm::kWritten)};
  bool attention = false;
  std::string glossary;  // file
  std::string token_file;
  std::string ca_file;

  // Returns the start message of these options. Reads the glossary's file. Throws
  // std::runtime_error, "FILE: ..." or "FILE:LINE: ...", if the file is invalid.
  protocol::Start start() const;
  // Returns the URL with a token: that of --token-file, else the URL's own, else SURTITLE_TOKEN.
  // Throws std::runtime_error if the token file has no token.
  WebSocketUrl daemon_url() const;
};

// Declares all of these options, each with its help, default and check. REQUIRES: `options`
// outlives `command`.
void add_stream_options(CLI::App& command, StreamOptions& options);
// Declares only the URL of the daemon and the options of authentication.
void add_daemon_options(CLI::App& command, StreamOptions& options);
// Declares all options except --policy, for a command that accepts several policies.
void add_stream_options_but_policy(CLI::App& command, StreamOptions& options);

// Returns the error message for an invalid URL, or an empty text for a valid one.
std::string url_problem(const std::string& text);

// Accepts finite numbers above 0.
CLI::Validator above_zero();

}  // namespace surtitle
