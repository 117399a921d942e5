#include "daemon/terminal/option_check.h"

#include <algorithm>
#include <utility>

#include "daemon/base/text.h"
#include "policies/closest_name.h"

namespace surtitle {
namespace {

bool is_long_option(const std::string& word) { return word.starts_with("--") && word.size() > 2; }

std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

// A command and the commands that it belongs to, innermost first. Options of all are accepted.
class Scope {
 public:
  explicit Scope(const CLI::App& app) : apps_{&app} {}

  // Enters the command of this name if the innermost command has it.
  void enter(const std::string& name) {
    for (const CLI::App* command : apps_.front()->get_subcommands({})) {
      if (command->check_name(name)) {
        apps_.insert(apps_.begin(), command);
        return;
      }
    }
  }

  const CLI::Option* find(const std::string& option) const {
    for (const CLI::App* app : apps_) {
      if (const CLI::Option* found = app->get_option_no_throw(option)) {
        return found;
      }
    }
    return nullptr;
  }

  std::vector<std::string> options() const {
    std::vector<std::string> names;
    for (const CLI::App* app : apps_) {
      for (const CLI::Option* option : app->get_options()) {
        for (const std::string& name : option->get_lnames()) {
          names.push_back("--" + name);
        }
      }
    }
    return names;
  }

  std::string help() const {
    std::string text = "; see:";
    for (auto app = apps_.rbegin(); app != apps_.rend(); ++app) {
      text += " " + (*app)->get_name();
    }
    return text + " --help";
  }

 private:
  std::vector<const CLI::App*> apps_;
};

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : listed_commands(app)) {
    names.push_back(command->get_name());
  }
  return "unknown command " + in_quotes(word) + allowed_names(word, names);
}

}  // namespace

std::optional<std::string> option_error(const CLI::App& app,
                                        std::span<const std::string> arguments) {
  Scope scope(app);
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& word = arguments[i];
    if (!is_long_option(word)) {
      scope.enter(word);
      continue;
    }
    const std::string name = name_of(word);
    const CLI::Option* option = scope.find(name);
    if (option == nullptr) {
      const auto closest = closest_name(name, scope.options());
      return "unknown option " + in_quotes(name) +
             (closest ? "; did you mean " + *closest + "?" : scope.help());
    }
    if (option->get_expected_min() > 0 && name == word) {
      if (i + 1 == arguments.size() ||
          (is_long_option(arguments[i + 1]) && scope.find(name_of(arguments[i + 1])) != nullptr)) {
        return "option " + name + " needs a value" + scope.help();
      }
      ++i;
    }
  }
  return std::nullopt;
}

CLI::Validator one_of(std::vector<std::string> names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "{" : ",") + name;
  }
  return {[names = std::move(names)](const std::string& text) {
            const bool known = std::find(names.begin(), names.end(), text) != names.end();
            return known ? std::string()
                         : in_quotes(text) + " is unknown" + allowed_names(text, names);
          },
          list + "}"};
}

std::vector<const CLI::App*> listed_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::optional<std::string> command_error(const CLI::App& app,
                                         std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) {
    return std::nullopt;
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->check_name(arguments.front())) {
      return std::nullopt;
    }
  }
  return unknown_command(app, arguments.front());
}

std::optional<std::string> extra_words_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) {
    chosen = chosen->get_subcommands().front();
  }
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  // A missing command is reported first, although the word was meant to be one.
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const std::vector<std::string> words = app.remaining(/*recurse=*/true);
  if (words.empty() || !(extra || required)) {
    return std::nullopt;
  }
  if (!listed_commands(*chosen).empty()) {
    return unknown_command(*chosen, words.front());
  }
  return extra ? std::optional("unexpected word " + in_quotes(words.front())) : std::nullopt;
}

}  // namespace surtitle
