// `surtitle quantize DIR`: a model package in 8 bits.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_quantize_command(CLI::App& app);

}  // namespace surtitle
