// `surtitle replay LOG`: says a logged talk again, to one stream or to thousands, and measures.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_replay_command(CLI::App& app);

}  // namespace surtitle
