// The command line of `surtitle`, whatever its commands are.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

namespace surtitle {

// Declares one subcommand, whose callback does the work and throws std::exception where it fails.
using AddCommand = void (*)(CLI::App& app);

// Runs the subcommand named on the command line. Returns the exit code: 0; 1 after a failure, told
// in one line on stderr, "surtitle NAME: what went wrong"; 2 for a wrong command line.
int run_command_line(int argc, char** argv, std::span<const AddCommand> commands);

}  // namespace surtitle
