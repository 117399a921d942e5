// Declares `surtitle compare`, which compares the translation in a log with another one or a
// reference.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_compare_command(CLI::App& app);

}  // namespace surtitle
