// Declares `surtitle inspect`, which checks a model package and describes it.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_inspect_command(CLI::App& app);

}  // namespace surtitle
