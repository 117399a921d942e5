// Declares `surtitle journal`, which lists, exports, checks and shrinks a daemon's journal.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_journal_command(CLI::App& app);

}  // namespace surtitle
