// Declares `surtitle loadtest`, which replays one log on many streams at the same time.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_loadtest_command(CLI::App& app);

}  // namespace surtitle
