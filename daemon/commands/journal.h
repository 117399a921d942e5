// `surtitle journal`: what a daemon's journal holds; exports, checks and shrinks it.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_journal_command(CLI::App& app);

}  // namespace surtitle
