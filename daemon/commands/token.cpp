#include "daemon/commands/token.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "daemon/commands/stream_options.h"
#include "daemon/protocol/protocol.h"
#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

struct Options {
  std::string name;
  std::string roles = "view";
  std::string channels = "*";
  std::string expires;
  std::string add;  // file to which the line is appended; empty: none
};

struct LinkOptions {
  std::string channel;
  std::string role = "view";
  std::string expires;
  std::string key;
  std::string url;
};

// Returns the time that is, for example, "12h" from now, or nullopt if the text is not a duration.
std::optional<CalendarSeconds> time_from_now(const std::string& text) {
  constexpr std::array<std::pair<char, int>, 4> kUnits{
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}}};
  constexpr int kMax = 36500;
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop + 1 != end || count < 1 || count > kMax) {
    return std::nullopt;
  }
  for (const auto& [unit, seconds] : kUnits) {
    if (unit == *stop) {
      const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
      return now + std::chrono::seconds(std::int64_t{count} * seconds);
    }
  }
  return std::nullopt;
}

CLI::Validator valid(bool (*good)(const std::string&), const std::string& rule) {
  return {[good, rule](const std::string& text) {
            return good(text) ? std::string() : "must be " + rule + ", not " + text;
          },
          ""};
}

CLI::Validator duration() {
  return valid([](const std::string& text) { return time_from_now(text).has_value(); },
               "a time from now such as 90m, 12h or 30d");
}

// Appends in one write, so that a daemon that reads the file at the same time never sees half a
// line. A new file is readable by its owner only.
void append(const std::string& file, const std::string& line) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const bool written = descriptor >= 0 && write(descriptor, line.data(), line.size()) ==
                                              static_cast<ssize_t>(line.size());
  if ((descriptor >= 0 && close(descriptor) != 0) || !written) {
    throw std::runtime_error("cannot write to " + file);
  }
}

void print(const std::string& text) {
  std::cout << text << std::endl;
  if (!std::cout) {
    throw std::runtime_error("standard output cannot be written");
  }
}

// Appends a line to a token file. The existing file is parsed first, so that errors in it are
// reported now. It may lack a newline at its end, so the line is preceded by one.
void add_line(const std::string& file, const std::string& name, const std::string& line) {
  std::string text = line + "\n";
  if (access(file.c_str(), F_OK) == 0) {
    const TokenFile known = TokenFile::read(file);
    if (known.has(name)) {
      throw std::runtime_error(file + ": token '" + name +
                               "' exists already; remove its line first");
    }
    text.insert(0, "\n");
  }
  append(file, text);
}

void make(const Options& options) {
  Grant grant{options.name, Roles::parse(options.roles), options.channels};
  if (!options.expires.empty()) {
    grant.expires = time_from_now(options.expires);
  }
  const NewToken made = make_token(grant);
  if (options.add.empty()) {
    print(made.token);
    print(made.line);
  } else {
    add_line(options.add, grant.name, made.line);
    print(made.token);
  }
}

void make_link(const LinkOptions& options) {
  const Role role = options.role == name(Role::kSend) ? Role::kSend : Role::kView;
  const std::string token =
      LinkKeys::read(options.key).sign({role, options.channel, *time_from_now(options.expires)});
  if (options.url.empty()) {
    print(token);
    return;
  }
  std::string link = options.url.substr(0, options.url.find_last_not_of('/') + 1);
  link += role == Role::kView ? "/c/" + options.channel + "?token=" + token
                              : "/console?channel=" + options.channel + "&token=" + token;
  print(link);
}

std::string role_problem(const std::string& text) {
  try {
    Roles::parse(text);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

void add_link_command(CLI::App& token) {
  auto* command = token.add_subcommand("link", "Make a signed link to one channel that expires");
  auto options = std::make_shared<LinkOptions>();
  command->add_option("--channel", options->channel, "channel of the link")
      ->required()
      ->check(valid([](const std::string& text) { return protocol::is_channel_name(text); },
                    "1 to 64 characters of A-Z a-z 0-9 . _ -"));
  command->add_option("--role", options->role, "role that the link grants")
      ->check(one_of({"view", "send"}))
      ->option_text("view|send [view]");
  command->add_option("--expires", options->expires, "validity from now, such as 90m, 12h or 30d")
      ->required()
      ->check(duration());
  command->add_option("--key", options->key, "the daemon's key file, access.key")->required();
  command
      ->add_option("--url", options->url,
                   "URL of the daemon's page; if given, the complete link is printed")
      ->check(CLI::Validator(url_problem, ""));
  command->footer(
      "Everybody who has the link has its role until it expires. Removing the key from the file\n"
      "revokes all links that it signed.\n"
      "Example: surtitle token link --channel main --expires 12h --key keys "
      "--url https://subtitles.example.org/");
  command->callback([options] { make_link(*options); });
}

}  // namespace

void add_token_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("token", "Make access tokens and links for senders and viewers");
  auto options = std::make_shared<Options>();
  command->add_option("--name", options->name, "name of the token, for logs and error messages")
      ->check(valid([](const std::string& text) { return is_token_name(text); },
                    "1 to 64 characters of A-Z a-z 0-9 _ -"));
  command->add_option("--role", options->roles, "send, view or admin, or several: send,view")
      ->capture_default_str()
      ->check(CLI::Validator(role_problem, ""));
  command
      ->add_option("--channels", options->channels,
                   "channel names, separated by commas; * stands for any characters")
      ->capture_default_str()
      ->check(valid([](const std::string& text) { return is_channel_pattern(text); },
                    "channel names separated by commas, with * for any characters"));
  command
      ->add_option("--expires", options->expires,
                   "validity from now, such as 12h or 30d (default: forever)")
      ->check(duration());
  command->add_option("--add", options->add,
                      "append the line to this file, the daemon's access.tokens");
  add_link_command(*command);
  command
      ->add_subcommand("key", "Make a key for links; write its output to the daemon's access.key")
      ->callback([] { print(make_link_key()); });
  command->footer(
      "Prints the token, which is stored nowhere, and its line for the daemon's file\n"
      "access.tokens. With --add, appends the line instead. SIGHUP makes a running daemon read\n"
      "the file again. Examples:\n"
      "  surtitle token --name stage --role send --channels 'hall-*' --add tokens\n"
      "  (umask 077; surtitle token key >keys)");
  command->callback([command, options] {
    if (command->get_subcommands().empty()) {
      if (options->name.empty()) {
        throw CLI::RequiredError("--name");
      }
      make(*options);
    }
  });
}

}  // namespace surtitle
