// `surtitle compare`: the translation in a log beside another or a reference.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_compare_command(CLI::App& app);

}  // namespace surtitle
