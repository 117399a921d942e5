// Declares `surtitle replay`, which replays a logged talk on one or many streams and measures it.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_replay_command(CLI::App& app);

}  // namespace surtitle
