// Declares `surtitle bench`, which measures the speed of the engine on this machine.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_bench_command(CLI::App& app);

}  // namespace surtitle
