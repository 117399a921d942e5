// Writes the options of a manual page, and completions, from a program's declared options. They
// therefore cannot differ from --help.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace surtitle {

// Returns the sections OPTIONS and COMMANDS of a page for man, in groff's man macros. Hidden
// options and commands (of the group "") are left out.
std::string manual_sections(const CLI::App& app);

enum class Shell { kBash, kZsh };

// Returns a script that completes commands, options and the names of files. The shell reads it at
// its start.
std::string shell_completion(const CLI::App& app, Shell shell);

}  // namespace surtitle
