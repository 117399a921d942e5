#include "daemon/daemon_config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "daemon/text.h"
#include "policies/registry.h"

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

void check_level(const std::string& text) {
  one_of(text, {"debug", "info", "warning", "error", "off"});
}

void check_policy(const std::string& text) {
  if (!text.empty()) {
    make_policy(text);
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
      number("threads", &C::threads, 0, 1024, "",
             "threads of a model's matrix products; 0: as many as cores"),
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
      text("web", &C::web, any_text, "folder of the page; none: the shipped one"),
      text("log_level", &C::log_level, check_level,
           "what is logged on stderr: debug, info, warning, error or off"),
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

// --- the file ---

namespace {

[[noreturn]] void fail_at(const std::string& file, const YAML::Mark& mark,
                          const std::string& what) {
  throw std::runtime_error(file + ":" + std::to_string(mark.line + 1) + ": " + what);
}

// Names of the fields below `prefix`, "" or "sentence.", each once.
std::string allowed_below(const std::string& prefix) {
  std::vector<std::string> names;
  for (const ConfigField& field : config_fields()) {
    if (field.name.starts_with(prefix)) {
      std::string name = field.name.substr(prefix.size());
      name = name.substr(0, name.find('.'));
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

std::vector<std::string> values_of(const YAML::Node& node, const ConfigField& field,
                                   const std::string& file) {
  if (field.list && node.IsSequence()) {
    std::vector<std::string> values;
    for (const YAML::Node& item : node) {
      if (!item.IsScalar()) {
        fail_at(file, item.Mark(), "field '" + field.name + "' must be a list of texts");
      }
      values.push_back(item.Scalar());
    }
    return values;
  }
  if (node.IsNull()) {
    return field.list ? std::vector<std::string>() : std::vector<std::string>{""};
  }
  if (!node.IsScalar()) {
    fail_at(file, node.Mark(), "field '" + field.name + "' must be one value");
  }
  return {node.Scalar()};
}

void read_map(const YAML::Node& map, const std::string& prefix, const std::string& file,
              DaemonConfig& config) {
  for (const auto& entry : map) {
    const std::string name = prefix + entry.first.Scalar();
    const auto& fields = config_fields();
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const ConfigField& known) { return known.name == name; });
    const bool section = std::any_of(fields.begin(), fields.end(), [&](const ConfigField& known) {
      return known.name.starts_with(name + ".");
    });
    if (section && entry.second.IsMap()) {
      read_map(entry.second, name + ".", file, config);
    } else if (section && entry.second.IsNull()) {
      continue;
    } else if (section) {
      fail_at(file, entry.first.Mark(),
              "field '" + name + "' must hold the fields " + allowed_below(name + "."));
    } else if (field == fields.end()) {
      fail_at(file, entry.first.Mark(),
              "unknown field " + in_quotes(name) + "; allowed: " + allowed_below(prefix));
    } else {
      try {
        field->set(config, values_of(entry.second, *field, file));
      } catch (const std::invalid_argument& error) {
        fail_at(file, entry.first.Mark(), "field '" + name + "' " + error.what());
      }
    }
  }
}

}  // namespace

void read_config(const std::filesystem::path& file, DaemonConfig& config) {
  const std::string name = file.string();
  YAML::Node document;
  try {
    document = YAML::LoadFile(name);
  } catch (const YAML::BadFile&) {
    throw std::runtime_error(name + ": the file cannot be read");
  } catch (const YAML::ParserException& error) {
    fail_at(name, error.mark, "not YAML: " + error.msg);
  }
  if (document.IsMap()) {
    read_map(document, "", name, config);
  } else if (!document.IsNull()) {
    fail_at(name, document.Mark(), "must hold fields; allowed: " + allowed_below(""));
  }
}

void check_config(const DaemonConfig& config) {
  if (config.queued_words < config.sentence_words) {
    throw std::runtime_error("limits.queued_words (" + std::to_string(config.queued_words) +
                             ") must be at least sentence.words (" +
                             std::to_string(config.sentence_words) +
                             "), or a long sentence could never end");
  }
}

std::string to_yaml(const DaemonConfig& config) {
  std::string yaml;
  std::string section;
  for (const ConfigField& field : config_fields()) {
    const std::size_t dot = field.name.find('.');
    const std::string in = dot == std::string::npos ? "" : field.name.substr(0, dot);
    if (in != section && !in.empty()) {
      yaml += in + ":\n";
    }
    section = in;
    YAML::Emitter value;
    const std::vector<std::string> values = field.get(config);
    if (field.list) {
      value << YAML::Flow << values;
    } else if (values.front().empty()) {
      value << YAML::Null;
    } else {
      value << values.front();
    }
    const std::string indent = in.empty() ? "" : "  ";
    yaml += indent + "# " + (field.unit.empty() ? "" : field.unit + ": ") + field.help + "\n";
    yaml += indent + field.name.substr(in.empty() ? 0 : dot + 1) + ": " + value.c_str() + "\n";
  }
  return yaml;
}

}  // namespace surtitle
