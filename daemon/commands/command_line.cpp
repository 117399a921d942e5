#include "daemon/commands/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "daemon/terminal/manual.h"
#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;

// Returns the arguments without the program's name. "help COMMAND" becomes "COMMAND --help".
std::vector<std::string> read_arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return arguments;
}

void add_help_commands(CLI::App& app) {
  app.add_subcommand("help", "Describe a command, or list all commands");
  auto* completion =
      app.add_subcommand("completion", "Print the script that completes commands and options");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(one_of({"bash", "zsh"}));
  completion->callback([&app, shell] {
    std::cout << shell_completion(app, *shell == "zsh" ? Shell::kZsh : Shell::kBash);
  });
  auto* manual = app.add_subcommand("manual", "Print the options for the manual page");
  manual->group("");
  manual->callback([&app] { std::cout << manual_sections(app); });
}

std::string chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? std::string() : " " + chosen.front()->get_name();
}

}  // namespace

int run_command_line(int argc, char** argv, std::span<const AddCommand> commands) {
  CLI::App app("surtitle: the command line of a simultaneous translation daemon", "surtitle");
  app.set_version_flag("-V,--version", std::string("surtitle ") + SURTITLE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "surtitle help COMMAND describes a command. Examples:\n"
      "  echo 'Guten Morgen, meine Damen und Herren.' | surtitle pipe\n"
      "  surtitle replay tests/data/demo/opening.jsonl --print");
  for (const AddCommand add_command : commands) {
    add_command(app);
  }
  add_help_commands(app);
  std::vector<std::string> arguments = read_arguments(argc, argv);
  auto problem = command_error(app, arguments);
  if (!problem) {
    problem = option_error(app, arguments);
  }
  if (problem) {
    std::fprintf(stderr, "surtitle: %s\n", problem->c_str());
    return kWrongUsage;
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the end
    app.parse(std::move(arguments));
    // The check is here so that no command succeeds on a full disk.
    errno = 0;
    if ((!std::cout.flush() || std::fflush(stdout) != 0) && errno != EPIPE) {
      throw std::runtime_error("standard output cannot be written");
    }
    return 0;
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();  // the command has printed the reason
  } catch (const CLI::ParseError& error) {
    if (const auto extra = extra_words_error(app, error)) {
      std::fprintf(stderr, "surtitle%s: %s\n", chosen_command(app).c_str(), extra->c_str());
      return kWrongUsage;
    }
    if (error.get_exit_code() == 0) {  // --help and --version
      return app.exit(error);
    }
    const std::string command = chosen_command(app);
    const std::string what = error.what();
    std::fprintf(stderr, "surtitle%s: %s%s surtitle%s --help\n", command.c_str(), what.c_str(),
                 what.ends_with('?') ? " See:" : "; see:", command.c_str());
    return kWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "surtitle%s: %s\n", chosen_command(app).c_str(), error.what());
    return kFailure;
  }
}

}  // namespace surtitle
