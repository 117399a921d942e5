// `surtitle inspect DIR`: what a model package is.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_inspect_command(CLI::App& app);

}  // namespace surtitle
