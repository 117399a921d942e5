// Parses the command line of `surtitle` and runs the chosen subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

namespace surtitle {

// Declares one subcommand. Its callback does the work and throws std::exception if it fails.
using AddCommand = void (*)(CLI::App& app);

// Runs the subcommand named on the command line. Returns the exit code: 0 after success, 2 for a
// wrong command line, 1 after a failure. A failure is printed as one line on stderr, "surtitle
// NAME: REASON".
int run_command_line(int argc, char** argv, std::span<const AddCommand> commands);

}  // namespace surtitle
