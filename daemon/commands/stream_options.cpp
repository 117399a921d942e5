#include "daemon/commands/stream_options.h"

#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "policies/registry.h"

namespace surtitle {
namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string channel_problem(const std::string& name) {
  return protocol::is_channel_name(name)
             ? std::string()
             : "a channel's name has 1 to 64 characters of A-Z a-z 0-9 . _ -";
}

}  // namespace

protocol::Start StreamOptions::start() const {
  protocol::Start start{source, target, unless_empty(model), unless_empty(policy),
                        unless_empty(channel)};
  start.source_form = *text_form_by_name(source_form);
  start.attention = attention;
  return start;
}

Url StreamOptions::address() const {
  Url address = parse_url(url);
  address.authorities = authorities;
  if (!token_file.empty()) {
    std::ifstream in(token_file);
    if (!(in >> address.token)) {
      throw std::runtime_error("--token-file " + token_file + " holds no token");
    }
  } else if (const char* token = std::getenv("SURTITLE_TOKEN");
             token != nullptr && address.token.empty()) {
    address.token = token;
  }
  return address;
}

std::string url_problem(const std::string& text) {
  try {
    parse_url(text);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

CLI::Validator above_zero() {
  return {[](const std::string& text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0
                       ? std::string()
                       : "must be a number above 0, not " + text;
          },
          ""};
}

void add_stream_options(CLI::App& command, StreamOptions& options) {
  add_stream_options_but_policy(command, options);
  command.add_option("--policy", options.policy,
                     "such as " + policy_examples() + " (default: the server's)");
}

void add_daemon_options(CLI::App& command, StreamOptions& options) {
  command.add_option("--url", options.url, "where surtitled listens")
      ->capture_default_str()
      ->check(CLI::Validator(url_problem, ""));
  command
      .add_option("--token-file", options.token_file,
                  "file with the token that surtitled asks for (default: that of the URL, else "
                  "SURTITLE_TOKEN)")
      ->option_text("FILE");
  command
      .add_option("--ca", options.authorities,
                  "PEM file of whom to trust under wss:// (default: whom the system trusts)")
      ->option_text("FILE");
}

void add_stream_options_but_policy(CLI::App& command, StreamOptions& options) {
  add_daemon_options(command, options);
  command.add_option("--model", options.model, "a model that the server has (default: its own)");
  command.add_option("--source", options.source, "language that comes in")->capture_default_str();
  command.add_option("--target", options.target, "language that goes out")->capture_default_str();
  command
      .add_option("--source-form", options.source_form,
                  "what the model sees: text as it comes, or spoken, without case and punctuation")
      ->check(CLI::IsMember(
          {std::string(name(TextForm::kWritten)), std::string(name(TextForm::kSpoken))}))
      ->option_text("written|spoken [written]");
  command.add_option("--channel", options.channel, "channel on which the stream can be watched")
      ->check(CLI::Validator(channel_problem, ""));
  command.add_flag("--attention", options.attention,
                   "show what each step looks at, to those who watch the channel at /inside");
}

}  // namespace surtitle
