// Declares `surtitle transcript`, which downloads the transcripts of a daemon's channels.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_transcript_command(CLI::App& app);

}  // namespace surtitle
