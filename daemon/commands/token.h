// Declares `surtitle token`, which makes access tokens, signed links and link keys.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_token_command(CLI::App& app);

}  // namespace surtitle
