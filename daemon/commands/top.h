// `surtitle top`: what a running daemon does, second by second.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_top_command(CLI::App& app);

}  // namespace surtitle
