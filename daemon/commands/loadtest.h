// `surtitle loadtest`: many streams of one log at once.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_loadtest_command(CLI::App& app);

}  // namespace surtitle
