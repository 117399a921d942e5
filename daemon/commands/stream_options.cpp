#include "daemon/commands/stream_options.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "daemon/base/text.h"
#include "daemon/terminal/option_check.h"
#include "model/util/utf8.h"
#include "policies/lag_controller.h"

namespace surtitle {
namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string channel_problem(const std::string& name) {
  return protocol::is_channel_name(name)
             ? std::string()
             : "must be " + std::string(protocol::kChannelNameRule) + "; not " + name;
}

std::string heading_problem(const std::string& text) {
  return is_valid_utf8(text) && protocol::is_heading_text(text)
             ? std::string()
             : "must be " + std::string(protocol::kHeadingRule);
}

constexpr std::size_t kMaxPath = 4096;

// Returns the first word of the file.
std::string read_token(const std::string& file) {
  std::ifstream in(file);
  std::string token;
  if (!(in >> token) && (!in.is_open() || in.bad())) {
    throw std::runtime_error("cannot read --token-file " + in_quotes(file, kMaxPath) + ": " +
                             std::strerror(errno));
  }
  if (token.empty()) {
    throw std::runtime_error("--token-file " + in_quotes(file, kMaxPath) +
                             " has no token; must have one");
  }
  return token;
}

}  // namespace

protocol::Start StreamOptions::start() const {
  protocol::Start start{source, target, unless_empty(model), unless_empty(policy),
                        unless_empty(channel)};
  start.source_form = *text_form_by_name(source_form);
  start.attention = attention;
  start.heading = heading;
  if (!glossary.empty()) {
    start.glossary = protocol::read_glossary(glossary);
  }
  return start;
}

WebSocketUrl StreamOptions::daemon_url() const {
  WebSocketUrl daemon = parse_websocket_url(url);
  // Documents name the protocol's own path, which the client adds.
  if (constexpr std::string_view kStream = "/v1/stream"; daemon.path.ends_with(kStream)) {
    daemon.path.erase(daemon.path.size() - kStream.size());
  }
  daemon.ca_file = ca_file;
  if (!token_file.empty()) {
    daemon.token = read_token(token_file);
  } else if (const char* token = std::getenv("SURTITLE_TOKEN");
             token != nullptr && daemon.token.empty()) {
    daemon.token = token;
  }
  return daemon;
}

std::string url_problem(const std::string& text) {
  try {
    parse_websocket_url(text);
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
                     "such as " + stream_policy_examples() + " (default: the server's)");
}

void add_daemon_options(CLI::App& command, StreamOptions& options) {
  command.add_option("--url", options.url, "URL of surtitled")
      ->capture_default_str()
      ->check(CLI::Validator(url_problem, ""));
  command
      .add_option("--token-file", options.token_file,
                  "file with the access token for surtitled (default: the token in the URL, else "
                  "SURTITLE_TOKEN)")
      ->option_text("FILE");
  command
      .add_option("--ca", options.ca_file,
                  "PEM file of trusted certificate authorities for wss:// (default: those of the "
                  "system)")
      ->option_text("FILE");
}

void add_stream_options_but_policy(CLI::App& command, StreamOptions& options) {
  add_daemon_options(command, options);
  command.add_option("--model", options.model, "model of the server (default: the server's)");
  command.add_option("--source", options.source, "source language")->capture_default_str();
  command.add_option("--target", options.target, "target language")->capture_default_str();
  command
      .add_option("--source-form", options.source_form,
                  "source text for the model; written: unchanged, spoken: without case and "
                  "punctuation")
      ->check(one_of({std::string(name(TextForm::kWritten)), std::string(name(TextForm::kSpoken))}))
      ->option_text("written|spoken [written]");
  command.add_option("--channel", options.channel, "channel on which viewers watch the stream")
      ->check(CLI::Validator(channel_problem, ""));
  command
      .add_option("--title", options.heading.title,
                  "title of the talk, which pages and transcripts show; any text")
      ->check(CLI::Validator(heading_problem, ""))
      ->option_text("TEXT");
  command
      .add_option("--speaker", options.heading.speaker,
                  "name of the speaker, which pages and transcripts show; any text")
      ->check(CLI::Validator(heading_problem, ""))
      ->option_text("TEXT");
  command
      .add_option(
          "--glossary", options.glossary,
          "file of terms with their translations, one 'term = translation' on each line, or "
          "CSV or TSV")
      ->option_text("FILE");
  command.add_flag("--attention", options.attention,
                   "send the attention of each step, which viewers of the channel see at /inside");
}

}  // namespace surtitle
