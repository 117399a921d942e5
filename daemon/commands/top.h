// Declares `surtitle top`, which shows the state of a running daemon every second.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_top_command(CLI::App& app);

}  // namespace surtitle
