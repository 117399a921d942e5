// Declares `surtitle quantize`, which converts a model package to 8 bits.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_quantize_command(CLI::App& app);

}  // namespace surtitle
