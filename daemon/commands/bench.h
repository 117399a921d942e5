// `surtitle bench`: how fast a model's engine is on this machine.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_bench_command(CLI::App& app);

}  // namespace surtitle
