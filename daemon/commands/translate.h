// `surtitle translate`: translates a text file, for training on the translations.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_translate_command(CLI::App& app);

}  // namespace surtitle
