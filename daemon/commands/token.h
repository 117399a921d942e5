// `surtitle token`: tokens for the daemon's file, links to channels, and the key that signs them.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_token_command(CLI::App& app);

}  // namespace surtitle
