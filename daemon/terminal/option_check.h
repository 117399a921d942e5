// Finds a mistyped option before the command line is parsed, because CLI11 reports a missing
// required option first and takes the next option for a value.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace surtitle {

// Returns the first error of the long options in `arguments` (without the program's name), such as
// "unknown option '--modell'; did you mean --model?", or nullopt if there is none. Words that
// follow "--" are not options.
std::optional<std::string> option_error(const CLI::App& app,
                                        std::span<const std::string> arguments);

// Returns the error for words that the chosen command does not accept: an unknown command of a
// command that has some, or too many words. Returns nullopt if `error`, which app.parse() has
// thrown, has another cause.
std::optional<std::string> extra_words_error(const CLI::App& app, const CLI::ParseError& error);

// Returns the error for an unknown first word, or nullopt if it is a command or an option.
std::optional<std::string> command_error(const CLI::App& app,
                                         std::span<const std::string> arguments);

// Accepts these names. The error for another one has the closest name, or all of them.
CLI::Validator one_of(std::vector<std::string> names);

// Returns the commands of `app` that are listed in its help, in their order.
std::vector<const CLI::App*> listed_commands(const CLI::App& app);

}  // namespace surtitle
