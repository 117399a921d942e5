// Declares `surtitle score`, which computes latency and quality of a log of translations.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_score_command(CLI::App& app);

}  // namespace surtitle
