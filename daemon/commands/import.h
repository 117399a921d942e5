// Declares `surtitle import`, which converts models of other programs into packages.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_import_command(CLI::App& app);

}  // namespace surtitle
