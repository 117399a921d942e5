#include "daemon/terminal/manual.h"

#include <sstream>

#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

// Returns `text` without the signs that groff would interpret.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && escaped.empty()) {
      escaped += std::string("\\&") + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::vector<const CLI::Option*> listed_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

// Returns "-V, --version" or "--policy TEXT"; the name of a positional.
std::string usage_of(const CLI::Option& option) {
  std::string names = option.get_name(/*positional=*/option.get_positional(), /*all_options=*/true);
  std::string spaced;
  for (const char c : names) {
    spaced += c;
    if (c == ',') spaced += ' ';
  }
  const std::string& text = option.get_option_text();
  const std::string value = text.empty() ? option.get_type_name() : text;
  const bool has_value = !option.get_positional() && option.get_expected_max() > 0;
  return spaced + (has_value && !value.empty() ? " " + value : "");
}

// Each command has --help, but the page describes it only once.
void write_options(std::ostream& out, const CLI::App& app) {
  for (const CLI::Option* option : listed_options(app)) {
    if (option == app.get_help_ptr() && app.get_parent() != nullptr) {
      continue;
    }
    const std::string fallback = option->get_default_str();
    out << ".TP\n.B " << roff(usage_of(*option)) << '\n'
        << roff(option->get_description() +
                (fallback.empty() ? "" : " (default: " + fallback + ")"))
        << '\n';
  }
}

void write_commands(std::ostream& out, const CLI::App& app, const std::string& prefix) {
  for (const CLI::App* command : listed_commands(app)) {
    const std::string name = prefix + " " + command->get_name();
    out << ".SS " << roff(name) << '\n' << roff(command->get_description()) << '\n';
    write_options(out, *command);
    write_commands(out, *command, name);
  }
}

std::string long_options(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : listed_options(app)) {
    for (const std::string& name : option->get_lnames()) {
      words += (words.empty() ? "--" : " --") + name;
    }
  }
  return words;
}

// Writes a line `PATH) words="..."` for the program and each command; PATH is "surtitle token
// link".
void write_cases(std::ostream& out, const CLI::App& app, const std::string& path) {
  std::string words;
  for (const CLI::App* command : listed_commands(app)) {
    words += command->get_name() + " ";
  }
  out << "    '" << path << "') words='" << words << long_options(app) << "' ;;\n";
  for (const CLI::App* command : listed_commands(app)) {
    write_cases(out, *command, path + " " + command->get_name());
  }
}

// Writes a line for each word that leads from a command to another one.
void write_steps(std::ostream& out, const CLI::App& app, const std::string& path) {
  for (const CLI::App* command : listed_commands(app)) {
    const std::string next = path + " " + command->get_name();
    out << "      '" << next << "') path=\"$path $word\" ;;\n";
    write_steps(out, *command, next);
  }
}

}  // namespace

std::string manual_sections(const CLI::App& app) {
  std::ostringstream out;
  out << ".SH OPTIONS\n";
  write_options(out, app);
  if (!listed_commands(app).empty()) {
    out << ".SH COMMANDS\n";
    write_commands(out, app, app.get_name());
  }
  return out.str();
}

std::string shell_completion(const CLI::App& app, Shell shell) {
  const std::string& name = app.get_name();
  std::ostringstream out;
  if (shell == Shell::kZsh) {
    out << "#compdef " << name << "\nautoload -U +X bashcompinit && bashcompinit\n";
  }
  out << '_' << name << "_completion() {\n"
      << "  local path=" << name << " word words=''\n"
      << "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$path $word\" in\n";
  write_steps(out, app, name);
  out << "    esac\n  done\n  case \"$path\" in\n";
  write_cases(out, app, name);
  out << "  esac\n"
      << "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
      << "}\ncomplete -o default -F _" << name << "_completion " << name << '\n';
  return out.str();
}

}  // namespace surtitle
