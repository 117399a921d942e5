// Options and run of the commands that translate the output of a recogniser: pipe and listen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/commands/stream_options.h"
#include "daemon/pipe/pipe_run.h"

namespace surtitle {

struct PipeCommandOptions {
  StreamOptions stream;
  std::string output;  // empty: the default of the command
  std::optional<int> agreement;
  std::vector<std::string> keep;    // not left out: "marks", "hesitations", "speakers"
  std::vector<std::string> tracks;  // as in the help of --track

  // Returns the options of the run of `surtitle NAME`, with an output of text by default.
  // REQUIRES: `command`, of which these are the options, was parsed.
  PipeOptions run_options(const CLI::App& command, const RecogniserFormat& format) const;
};

// Declares these options. REQUIRES: `options` outlives `command`.
void add_pipe_options(CLI::App& command, PipeCommandOptions& options);

using OpenInput = std::function<std::shared_ptr<PipeInput>(const asio::any_io_executor&)>;

// Runs until the end of the input. Ctrl-C ends the input, and a second Ctrl-C the run. Throws as
// PipeRun::run() does.
void run_pipe(const PipeOptions& options, const OpenInput& open_input);

}  // namespace surtitle
