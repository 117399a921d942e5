// `surtitle pipe`: words from standard input, their translation on standard output.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_pipe_command(CLI::App& app);

}  // namespace surtitle
