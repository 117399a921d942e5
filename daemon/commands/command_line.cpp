#include "daemon/commands/command_line.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>

namespace surtitle {
namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;

// Returns the error for the first word, or nullopt if it is a command or a flag.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || *argv[1] == '-') {
    return std::nullopt;
  }
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->check_name(argv[1])) {
      return std::nullopt;
    }
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "unknown command '" + std::string(argv[1]) + "'; allowed: " + names;
}

std::string chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? std::string() : " " + chosen.front()->get_name();
}

}  // namespace

int run_command_line(int argc, char** argv, std::span<const AddCommand> commands) {
  CLI::App app("surtitle: the command line of a simultaneous translation daemon", "surtitle");
  app.set_version_flag("--version", std::string("surtitle ") + SURTITLE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "surtitle COMMAND --help describes a command. Examples:\n"
      "  echo 'Guten Morgen, meine Damen und Herren.' | surtitle pipe\n"
      "  surtitle replay tests/data/demo/opening.jsonl --print");
  for (const AddCommand add_command : commands) {
    add_command(app);
  }
  if (const auto problem = unknown_command(app, argc, argv)) {
    std::fprintf(stderr, "surtitle: %s\n", problem->c_str());
    return kWrongUsage;
  }
  try {
    app.parse(argc, argv);
    // The check is here so that no command succeeds on a full disk.
    errno = 0;
    if ((!std::cout.flush() || std::fflush(stdout) != 0) && errno != EPIPE) {
      throw std::runtime_error("standard output cannot be written");
    }
    return 0;
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();  // the command has printed the reason
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "surtitle%s: %s\n", chosen_command(app).c_str(), error.what());
    return kFailure;
  }
}

}  // namespace surtitle
