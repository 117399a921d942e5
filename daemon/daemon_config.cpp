#include "daemon/daemon_config.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "policies/lag_controller.h"

namespace surtitle {
namespace {

// --- kinds of fields ---

// REQUIRES: a number type that std::from_chars knows.
template <class Number>
ConfigField number(std::string name, Number DaemonConfig::*member, Number least, Number most,
                   std::string unit, std::string help) {
  std::ostringstream range;
  range << "must be a " << (std::is_integral_v<Number> ? "whole number" : "number") << " from "
        << least << " to " << most;
  const auto set = [member, least, most, rule = range.str()](
                       DaemonConfig& config, const std::vector<std::string>& values) {
    const std::string& text = values.front();
    const char* end = text.data() + text.size();
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !(value >= least && value <= most)) {
      throw std::invalid_argument(rule);
    }
    config.*member = value;
  };
  const auto get = [member](const DaemonConfig& config) {
    std::ostringstream text;
    text << config.*member;
    return std::vector{text.str()};
  };
  return {std::move(name), std::move(unit), std::move(help), false, set, get};
}

using TextCheck = void (*)(const std::string&);

void any_text(const std::string& /*text*/) {}

ConfigField text(std::string name, std::string DaemonConfig::*member, TextCheck check,
                 std::string help) {
  const auto set = [member, check](DaemonConfig& config, const std::vector<std::string>& values) {
    check(values.front());
    config.*member = values.front();
  };
  const auto get = [member](const DaemonConfig& config) { return std::vector{config.*member}; };
  return {std::move(name), "", std::move(help), false, set, get};
}

ConfigField list(std::string name, std::vector<std::string> DaemonConfig::*member,
                 std::string help) {
  const auto set = [member](DaemonConfig& config, const std::vector<std::string>& values) {
    config.*member = values;
  };
  const auto get = [member](const DaemonConfig& config) { return config.*member; };
  return {std::move(name), "", std::move(help), true, set, get};
}

// --- checks ---

void one_of(const std::string& text, const std::vector<std::string_view>& allowed) {
  std::string list;
  for (const std::string_view word : allowed) {
    if (text == word) {
      return;
    }
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  throw std::invalid_argument("must be one of " + list);
}

void check_device(const std::string& text) { one_of(text, {"auto", "cpu", "cuda"}); }

void check_precision(const std::string& text) { one_of(text, {"auto", "float32", "int8"}); }

void check_sync(const std::string& text) { one_of(text, {"normal", "full"}); }

void check_level(const std::string& text) {
  one_of(text, {"debug", "info", "warning", "error", "off"});
}

void check_policy(const std::string& text) {
  if (!text.empty()) {
    parse_policy_request(text);
  }
}

}  // namespace

const std::vector<ConfigField>& config_fields() {
  using C = DaemonConfig;
  constexpr int kMany = 1'000'000;
  constexpr int kBytes = 1 << 30;
  constexpr double kDay = 86400;
  static const std::vector<ConfigField> fields = {
      text("address", &C::address, any_text, "IP address to listen on"),
      number("port", &C::port, 0, 65535, "", "port to listen on; 0: any that is free"),
      list("origins", &C::origins,
           "origins whose pages may connect, besides the daemon's own; \"*\": all"),
      list("models", &C::models,
           "model packages: folders, or names of shipped ones; none: all that are shipped"),
      text("default_model", &C::default_model, any_text,
           "model where a stream names none; none: the first"),
      text("default_policy", &C::default_policy, check_policy,
           "policy where a stream names none; none: the model's own"),
      text("device", &C::device, check_device, "where models run: auto, cpu or cuda"),
      text("precision", &C::precision, check_precision,
           "of models: float32, int8 (the CPU, with AVX512-VNNI) or auto, the fastest"),
      number("threads", &C::threads, 0, 1024, "",
             "threads of a model on the CPU; 0: one fewer than cores"),
      number("max_sentences", &C::max_sentences, 1, 65536, "",
             "sentences in a model at the same time; more wait in line, each costs memory"),
      number("sentence.silence", &C::sentence_silence, 0.0, kDay, "seconds",
             "without source ends a sentence; 0: never"),
      number("sentence.words", &C::sentence_words, 1, 100'000, "words",
             "of one sentence; the next word starts another"),
      number("limits.streams", &C::streams, 1, kMany, "", "streams at the same time"),
      number("limits.viewers", &C::viewers, 1, kMany, "", "viewers at the same time"),
      number("limits.message_bytes", &C::message_bytes, 256, kBytes, "bytes",
             "of one message from a client"),
      number("limits.queued_words", &C::queued_words, 1, kMany, "words",
             "of a stream, taken and not yet translated; beyond, its connection is not read"),
      number("limits.inbox_commands", &C::inbox_commands, 1, kMany, "",
             "commands waiting for a model's running step; beyond, streams wait"),
      number("limits.outgoing_messages", &C::outgoing_messages, 16, kMany, "",
             "waiting for a connection that reads slowly; beyond, it is dropped"),
      number("limits.outgoing_bytes", &C::outgoing_bytes, 4096, kBytes, "bytes",
             "waiting for a connection that reads slowly; beyond, it is dropped"),
      number("limits.idle", &C::idle_seconds, 0.1, kDay, "seconds",
             "without an answer to pings drops a connection"),
      number("limits.resume", &C::resume, 0.0, kDay, "seconds",
             "that a stream waits for its sender after a cut"),
      text("web", &C::web, any_text, "folder of the page; none: the shipped one"),
      text("log_level", &C::log_level, check_level,
           "what is logged on stderr: debug, info, warning, error or off"),
      text("stream_logs", &C::stream_logs, any_text,
           "folder for a log of each stream: all that is said and written, for 'surtitle replay'; "
           "none: nothing is logged, since people's words are private and logs fill the disk"),
      text(
          "journal.path", &C::journal_path, any_text,
          "file of the journal, from which streams go on after a cut connection or a dead process; "
          "auto: journal.sqlite in the folder for the user's state; none: a stream ends with its "
          "connection"),
      text("journal.sync", &C::journal_sync, check_sync,
           "what the journal survives: normal, the death of the process; full, a loss of power"),
      number("journal.keep", &C::journal_keep, 0.0, 1e6, "hours",
             "that a stream stays in the journal after its end; 0: for ever"),
      number("drain_timeout", &C::drain_timeout, 0.0, kDay, "seconds",
             "for running sentences to finish after SIGTERM"),
  };
  return fields;
}

std::string ConfigField::flag() const {
  std::string flag = "--" + name;
  std::replace_if(
      flag.begin(), flag.end(), [](char c) { return c == '.' || c == '_'; }, '-');
  return flag;
}

void check_config(const DaemonConfig& config) {
  if (config.queued_words < config.sentence_words) {
    throw std::runtime_error("limits.queued_words (" + std::to_string(config.queued_words) +
                             ") must be at least sentence.words (" +
                             std::to_string(config.sentence_words) +
                             "), or a long sentence could never end");
  }
}

}  // namespace surtitle
