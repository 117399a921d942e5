// Declares `surtitle pipe`, which translates standard input to standard output.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_pipe_command(CLI::App& app);

}  // namespace surtitle
