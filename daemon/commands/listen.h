// Declares `surtitle listen`, which translates a voice: a sound file or a microphone, by a
// recogniser.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_listen_command(CLI::App& app);

}  // namespace surtitle
