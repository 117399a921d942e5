#include "daemon/config/daemon_config.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "daemon/access/ip_address.h"
#include "daemon/backplane/redis_url.h"
#include "policies/lag_controller.h"

namespace surtitle {
namespace {

// --- kinds of fields ---

// REQUIRES: a number type that std::from_chars knows.
// `member` gives the number of a configuration.
template <class Number, class Member>
ConfigField number_of(std::string name, Member member, Number least, Number most, std::string unit,
                      std::string help) {
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
    member(config) = value;
  };
  const auto get = [member](const DaemonConfig& config) {
    std::ostringstream text;
    text << member(config);
    return std::vector{text.str()};
  };
  return {std::move(name), std::move(unit), std::move(help), false, set, get};
}

template <class Number>
ConfigField number(std::string name, Number DaemonConfig::*member, Number least, Number most,
                   std::string unit, std::string help) {
  const auto of = [member](auto& config) -> auto& { return config.*member; };
  return number_of(std::move(name), of, least, most, std::move(unit), std::move(help));
}

// Of one address or token.
template <class Number>
ConfigField limit(std::string name, QuotaLimits DaemonConfig::*whose, Number QuotaLimits::*member,
                  std::string unit, std::string help) {
  constexpr Number kMax = 1'000'000'000;
  const auto of = [ whose, member ](auto& config) -> auto& { return config.*whose.*member; };
  return number_of(std::move(name), of, Number{0}, kMax, std::move(unit),
                   std::move(help) + "; 0: any number");
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

ConfigField flag(std::string name, bool DaemonConfig::*member, std::string help) {
  const auto set = [member](DaemonConfig& config, const std::vector<std::string>& values) {
    if (values.front() != "true" && values.front() != "false") {
      throw std::invalid_argument("must be true or false");
    }
    config.*member = values.front() == "true";
  };
  const auto get = [member](const DaemonConfig& config) {
    return std::vector<std::string>{config.*member ? "true" : "false"};
  };
  return {std::move(name), "", std::move(help), false, set, get};
}

using ListCheck = void (*)(const std::vector<std::string>&);

void any_list(const std::vector<std::string>& /*texts*/) {}

// Others would be like no field Origin or Host that a browser sends.
void check_origins(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t scheme = text.find("://");
    if (text != "*" && (scheme == 0 || scheme == std::string::npos ||
                        text.find('/', scheme + 3) != std::string::npos)) {
      throw std::invalid_argument("must be origins such as https://example.org, or \"*\"");
    }
  }
}

void check_hosts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::string name = text.starts_with("*.") ? text.substr(2) : text;
    if (text != "*" && (name.empty() || name.find_first_of("*/ ") != std::string::npos)) {
      throw std::invalid_argument(
          "must be names such as subtitles.example.org or *.example.org, or \"*\"");
    }
  }
}

void check_networks(const std::vector<std::string>& texts) { parse_networks(texts); }

// One empty text is an empty list.
ConfigField list(std::string name, std::vector<std::string> DaemonConfig::*member, std::string help,
                 ListCheck check = any_list) {
  const auto set = [member, check](DaemonConfig& config, const std::vector<std::string>& given) {
    const bool none = given.size() == 1 && given.front().empty();
    const std::vector<std::string> values = none ? std::vector<std::string>() : given;
    check(values);
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

void check_drain_mode(const std::string& text) { one_of(text, {"auto", "finish", "handoff"}); }

// As whoever binds it reads it, who takes any bytes for the name of an interface.
void check_address(const std::string& text) {
  boost::system::error_code none;
  boost::asio::ip::make_address(text, none);
  const bool visible =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (none || !visible) {
    throw std::invalid_argument("must be an IP address such as 127.0.0.1 or ::");
  }
}

void check_backplane(const std::string& text) {
  if (!text.empty() && text != "none") {
    parse_redis_url(text);
  }
}

void check_level(const std::string& text) {
  one_of(text, {"debug", "info", "warning", "error", "off"});
}

void check_format(const std::string& text) { one_of(text, {"text", "json"}); }

void check_policy(const std::string& text) {
  if (!text.empty()) {
    parse_policy_request(text);
  }
}

std::string flag_of(const std::string& field) {
  std::string flag = "--" + field;
  std::replace_if(
      flag.begin(), flag.end(), [](char c) { return c == '.' || c == '_'; }, '-');
  return flag;
}

}  // namespace

const std::vector<ConfigField>& config_fields() {
  using C = DaemonConfig;
  constexpr int kMany = 1'000'000;
  constexpr int kBytes = 1 << 30;
  constexpr double kDay = 86400;
  static const std::vector<ConfigField> fields = {
      text("address", &C::address, check_address, "IP address to listen on"),
      number("port", &C::port, 0, 65535, "", "port to listen on; 0: any that is free"),
      list("allowed_origins", &C::allowed_origins,
           "origins whose pages may connect, besides the daemon's own; \"*\": all", check_origins),
      list("allowed_hosts", &C::allowed_hosts,
           "names that the daemon may be asked for by, besides localhost and IP addresses: "
           "subtitles.example.org, *.example.org; \"*\": all",
           check_hosts),
      text("access.tokens", &C::access_tokens, any_text,
           "file of tokens, as 'surtitle token' writes it; with it or a key, who comes needs one"),
      text("access.key", &C::access_key, any_text,
           "file of the keys that sign links, as 'surtitle token key' makes it"),
      flag("access.metrics", &C::access_metrics,
           "true: /metrics is for everybody, though tokens are asked for elsewhere"),
      flag("access.open", &C::access_open,
           "true: also beyond this machine without TLS or without tokens, as behind a proxy"),
      list("trusted_proxies", &C::trusted_proxies,
           "IP addresses or networks of proxies whose X-Forwarded-For tells who comes",
           check_networks),
      limit("per_address.connections", &C::per_address, &QuotaLimits::connections, "",
            "connections of one address (of IPv6 the first 64 bits) at the same time; a hall "
            "behind one address has many"),
      limit("per_address.new_connections", &C::per_address, &QuotaLimits::new_connections, "/s",
            "connections that it opens, ten seconds' worth at once"),
      limit("per_address.streams", &C::per_address, &QuotaLimits::streams, "",
            "streams of it at the same time"),
      limit("per_address.words", &C::per_address, &QuotaLimits::words, "/s",
            "source words of all its streams, ten seconds' worth at once"),
      limit("per_address.bytes", &C::per_address, &QuotaLimits::bytes, "/s",
            "that it sends, ten seconds' worth at once"),
      limit("per_address.requests", &C::per_address, &QuotaLimits::requests, "/s",
            "over HTTP, an answer counting as one for each 16 KiB, ten seconds' worth at once; a "
            "page for viewers takes about 40"),
      list("per_address.exempt", &C::per_address_exempt,
           "IP addresses or networks that these limits are not for", check_networks),
      limit("per_token.connections", &C::per_token, &QuotaLimits::connections, "",
            "connections that show one token, or one link's role and channel, at the same time"),
      limit("per_token.new_connections", &C::per_token, &QuotaLimits::new_connections, "/s",
            "likewise, as for addresses"),
      limit("per_token.streams", &C::per_token, &QuotaLimits::streams, "", "likewise"),
      limit("per_token.words", &C::per_token, &QuotaLimits::words, "/s", "likewise"),
      limit("per_token.bytes", &C::per_token, &QuotaLimits::bytes, "/s", "likewise"),
      limit("per_token.requests", &C::per_token, &QuotaLimits::requests, "/s",
            "likewise, but for pages, which ask for no token"),
      text("tls.certificate", &C::tls_certificate, any_text,
           "PEM file, the daemon's certificate first; with it, connections are under TLS alone"),
      text("tls.key", &C::tls_key, any_text, "PEM file of its key, without a password"),
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
             "threads of a model on the CPU; 0: one fewer than processors that it may use"),
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
      number("timeouts.idle", &C::idle_seconds, 0.1, kDay, "seconds",
             "without an answer to pings drops a connection"),
      number("timeouts.request", &C::request_seconds, 0.1, kDay, "seconds",
             "for a whole HTTP request, for the next one, and for a stream's start, to come"),
      number("resume.timeout", &C::resume_timeout, 0.0, kDay, "seconds",
             "that a stream waits for its sender after a cut"),
      number("admission.max_delay_p95", &C::admission_max_delay_p95, 0.0, 1e6, "milliseconds",
             "that one word in twenty may be late; beyond, and where admission.max_load is passed, "
             "new "
             "streams are told overloaded; 0: all are let in"),
      number("admission.max_load", &C::admission_max_load, 0.0, 100.0, "",
             "share of the time of a model, or of the network thread, that streams may be expected "
             "to take; near 1 words are late; 0: 0.65, on a single processor 0.4"),
      text("web", &C::web, any_text, "folder of the page; none: the shipped one"),
      text("log.format", &C::log_format, check_format,
           "of the log on stderr: text, or json, an object for each line"),
      text("log.level", &C::log_level, check_level,
           "what is logged on stderr: debug, info, warning, error or off"),
      number("watchdog", &C::watchdog, 0.0, 1e6, "milliseconds",
             "after which a thread that does not come around is logged, with what it is doing; 0: "
             "never, and a service manager hears of the network thread alone"),
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
      number("journal.retention", &C::journal_retention, 0.0, 1e6, "hours",
             "that a stream stays in the journal after its end; 0: for ever"),
      text("backplane.url", &C::backplane_url, check_backplane,
           "Redis through which replicas behind a proxy share streams and channels, "
           "redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]; none: this daemon is alone"),
      number("backplane.retention", &C::backplane_retention, 0.01, 1e6, "hours",
             "that a stream stays in Redis after its last word"),
      text("drain.mode", &C::drain_mode, check_drain_mode,
           "what becomes of running streams at SIGTERM: finish, they end once what was said is "
           "translated; handoff, they are cut off, and the next process or another replica goes "
           "on with them; auto: handoff where a service manager keeps the socket or there is a "
           "backplane, else finish"),
      number("drain.timeout", &C::drain_timeout, 0.0, kDay, "seconds",
             "for running sentences to finish after SIGTERM"),
  };
  return fields;
}

std::string ConfigField::flag() const { return flag_of(name); }

const std::vector<RenamedField>& renamed_fields() {
  static const std::vector<RenamedField> fields{
      {"origins", "allowed_origins"},
      {"hosts", "allowed_hosts"},
      {"access.proxies", "trusted_proxies"},
      {"limits.idle", "timeouts.idle"},
      {"limits.request", "timeouts.request"},
      {"limits.resume", "resume.timeout"},
      {"admission.delay", "admission.max_delay_p95"},
      {"admission.load", "admission.max_load"},
      {"journal.keep", "journal.retention"},
      {"backplane.keep", "backplane.retention"},
      {"drain", "drain.mode"},
      {"drain_timeout", "drain.timeout"},
  };
  return fields;
}

const RenamedField* find_renamed(const std::string& was) {
  const auto& fields = renamed_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const RenamedField& field) { return field.was == was; });
  return found == fields.end() ? nullptr : &*found;
}

std::string RenamedField::message() const { return was + " is now " + name; }

std::string RenamedField::old_flag() const {
  std::string flag = flag_of(was);
  return flag == flag_of(name) ? "" : flag;
}

std::string RenamedField::flag_message() const { return flag_of(was) + " is now " + flag_of(name); }

// As whoever binds it reads it.
bool is_loopback(const std::string& address) {
  boost::system::error_code none;
  const auto ip = boost::asio::ip::make_address(address, none);
  return none || ip.is_loopback();
}

void check_exposure(const DaemonConfig& config, const std::string& address) {
  const bool encrypted = !config.tls_certificate.empty();
  const bool auth_enabled = !config.access_tokens.empty() || !config.access_key.empty();
  if (is_loopback(address) || config.access_open || (encrypted && auth_enabled)) {
    return;
  }
  const std::string missing = encrypted      ? "access.tokens or access.key"
                              : auth_enabled ? "tls.certificate and tls.key"
                                             : "tls.certificate and tls.key, and access.tokens or "
                                               "access.key";
  throw std::runtime_error("address " + address + " is reached from other machines: set " +
                           missing + ", or say access.open: true");
}

void check_config(const DaemonConfig& config) {
  if (config.tls_certificate.empty() != config.tls_key.empty()) {
    throw std::runtime_error("tls.certificate and tls.key must be set together");
  }
  check_exposure(config, config.address);
  const bool shared = !config.backplane_url.empty() && config.backplane_url != "none";
  constexpr double kHour = 3600;  // seconds
  if (shared && config.backplane_retention * kHour <= config.resume_timeout) {
    throw std::runtime_error(
        "backplane.retention must be longer than resume.timeout: a stream that waits for its "
        "sender is "
        "still needed");
  }
  if (config.journal_path != "none" && config.journal_retention > 0 &&
      config.journal_retention * kHour <= config.resume_timeout) {
    throw std::runtime_error(
        "journal.retention must be longer than resume.timeout, or 0 for ever: a sender that comes "
        "back "
        "is told how its stream ended");
  }
  if (shared && config.journal_path == "none") {
    throw std::runtime_error(
        "backplane.url needs a journal, which holds what Redis does not have yet: name a file with "
        "journal.path");
  }
  if (config.queued_words <= config.sentence_words) {
    throw std::runtime_error("limits.queued_words (" + std::to_string(config.queued_words) +
                             ") must be more than sentence.words (" +
                             std::to_string(config.sentence_words) +
                             "), or the word that ends a long sentence is never read");
  }
}

}  // namespace surtitle
