// `surtitle score FILE`: latency and quality of a log.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_score_command(CLI::App& app);

}  // namespace surtitle
