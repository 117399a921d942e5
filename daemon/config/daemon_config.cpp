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
#include "daemon/protocol/protocol.h"
#include "model/text/ascii.h"
#include "policies/lag_controller.h"

namespace surtitle {
namespace {

// --- kinds of fields ---

// A field with a number from `least` to `most`. `member` returns a reference to the number in a
// configuration. REQUIRES: std::from_chars supports `Number`.
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

// A limit of one address or of one token.
template <class Number>
ConfigField limit(std::string name, QuotaLimits DaemonConfig::*whose, Number QuotaLimits::*member,
                  std::string unit, std::string help) {
  constexpr Number kMax = 1'000'000'000;
  const auto of = [ whose, member ](auto& config) -> auto& { return config.*whose.*member; };
  return number_of(std::move(name), of, Number{0}, kMax, std::move(unit),
                   std::move(help) + "; 0: no limit");
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

// A value in any other form would never equal the Origin header of a browser.
void check_origins(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t scheme = text.find("://");
    if (text != "*" && text != "null" &&
        (scheme == 0 || scheme == std::string::npos ||
         text.find('/', scheme + 3) != std::string::npos)) {
      throw std::invalid_argument(
          "must be origins such as https://example.org, null for local files, or \"*\"");
    }
  }
}

// They become part of a header, whose parts end at spaces, semicolons and commas.
void check_recognisers(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t scheme = text.find("://");
    if ((!text.starts_with("ws://") && !text.starts_with("wss://")) || text.size() == scheme + 3 ||
        !std::all_of(
            text.begin() + static_cast<std::ptrdiff_t>(scheme) + 3, text.end(), [](char c) {
              return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == ':' || c == '*';
            })) {
      throw std::invalid_argument(
          "must be addresses without a path, such as ws://192.0.2.7:8000, or ws://192.0.2.7:* for "
          "all of its ports");
    }
  }
}

// As check_origins(), for the Host header.
void check_hosts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::string name = text.starts_with("*.") ? text.substr(2) : text;
    if (text != "*" && (name.empty() || name.find_first_of("*/ ") != std::string::npos)) {
      throw std::invalid_argument(
          "must be names such as subtitles.example.org or *.example.org, or \"*\"");
    }
  }
}

void check_glossaries(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    if (!protocol::is_channel_name(text.substr(0, equals)) || equals + 1 >= text.size()) {
      throw std::invalid_argument("must be CHANNEL=FILE, such as hall=/etc/surtitle/hall.txt");
    }
  }
}

void check_networks(const std::vector<std::string>& texts) { parse_networks(texts); }

// A field with a list of texts. A single empty text is an empty list.
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

// Uses the parser that the listener uses. That parser accepts any bytes as the scope of an IPv6
// address, so spaces and control characters are rejected here.
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

void check_accent(const std::string& text) {
  constexpr std::size_t kLength = 7;
  if (!text.empty() && (text.size() != kLength || text.front() != '#' ||
                        text.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string::npos)) {
    throw std::invalid_argument("must be a colour such as #0a6b3c");
  }
}

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
      number("port", &C::port, 0, 65535, "", "port to listen on; 0: any free port"),
      list("allowed_origins", &C::allowed_origins,
           "origins whose pages may connect, besides the daemon's own; null: local files; "
           "\"*\": all",
           check_origins),
      list("allowed_hosts", &C::allowed_hosts,
           "names under which clients may reach the daemon, besides localhost and IP addresses: "
           "subtitles.example.org, *.example.org; \"*\": all",
           check_hosts),
      list("allowed_recognisers", &C::allowed_recognisers,
           "recognisers to which the console may send speech, besides those of the operator's own "
           "machine: ws://192.0.2.7:8000",
           check_recognisers),
      text("access.tokens", &C::access_tokens, any_text,
           "token file, see 'surtitle token'; this or access.key enables authentication"),
      text("access.key", &C::access_key, any_text,
           "file with the keys of signed links, see 'surtitle token key'"),
      flag("access.metrics", &C::access_metrics,
           "true: /metrics needs no token, even if other paths need one"),
      flag("access.open", &C::access_open,
           "true: allows addresses beyond this machine without TLS or tokens, as behind a proxy"),
      list("trusted_proxies", &C::trusted_proxies,
           "IP addresses or networks of proxies whose X-Forwarded-For header names the client",
           check_networks),
      limit("per_address.connections", &C::per_address, &QuotaLimits::connections, "",
            "simultaneous connections of one address (for IPv6, of its first 64 bits); the viewers "
            "in a hall often share one address"),
      limit("per_address.new_connections", &C::per_address, &QuotaLimits::new_connections, "/s",
            "new connections of one address; a burst may use ten seconds of this rate"),
      limit("per_address.streams", &C::per_address, &QuotaLimits::streams, "",
            "simultaneous streams of one address"),
      limit("per_address.words", &C::per_address, &QuotaLimits::words, "/s",
            "source words of all streams of one address; a burst may use ten seconds of this rate"),
      limit("per_address.bytes", &C::per_address, &QuotaLimits::bytes, "/s",
            "bytes from one address; a burst may use ten seconds of this rate"),
      limit("per_address.requests", &C::per_address, &QuotaLimits::requests, "/s",
            "HTTP requests of one address; a response counts as one more for each 16 KiB; a burst "
            "may use ten seconds of this rate; a page for viewers needs about 40"),
      list("per_address.exempt", &C::per_address_exempt,
           "IP addresses or networks without the limits per_address", check_networks),
      limit("per_token.connections", &C::per_token, &QuotaLimits::connections, "",
            "simultaneous connections with one token, or with links of one role and channel"),
      limit("per_token.new_connections", &C::per_token, &QuotaLimits::new_connections, "/s",
            "new connections with one token; a burst may use ten seconds of this rate"),
      limit("per_token.streams", &C::per_token, &QuotaLimits::streams, "",
            "simultaneous streams with one token"),
      limit("per_token.words", &C::per_token, &QuotaLimits::words, "/s",
            "source words of all streams with one token; a burst may use ten seconds of this rate"),
      limit("per_token.bytes", &C::per_token, &QuotaLimits::bytes, "/s",
            "bytes from clients with one token; a burst may use ten seconds of this rate"),
      limit("per_token.requests", &C::per_token, &QuotaLimits::requests, "/s",
            "HTTP requests with one token, except for pages, which need none; a burst may use ten "
            "seconds of this rate"),
      text("tls.certificate", &C::tls_certificate, any_text,
           "PEM file with the daemon's certificate first; if set, all connections use TLS"),
      text("tls.key", &C::tls_key, any_text, "PEM file of the certificate's key, without password"),
      list("models", &C::models,
           "model packages: folders, or names of shipped models; empty: all shipped models"),
      text("default_model", &C::default_model, any_text,
           "model of a stream that names none; empty: the first model"),
      text("default_policy", &C::default_policy, check_policy,
           "policy of a stream that names none; empty: the model's default"),
      text("device", &C::device, check_device, "device of the models: auto, cpu or cuda"),
      text("precision", &C::precision, check_precision,
           "precision of the models: float32, int8 (CPU with AVX2), or auto, the fastest"),
      number("threads", &C::threads, 0, 1024, "",
             "threads of a model on the CPU; 0: one fewer than the available processors"),
      number("max_sentences", &C::max_sentences, 1, 65536, "",
             "simultaneous sentences of a model, each of which needs memory; others wait"),
      number("sentence.silence", &C::sentence_silence, 0.0, kDay, "seconds",
             "pause of the source that ends a sentence; 0: off"),
      number("sentence.words", &C::sentence_words, 1, 100'000, "words",
             "maximum length of a sentence; the next word begins another sentence. Without any "
             "punctuation, the maximum is what the model was trained for, or 30"),
      number("limits.streams", &C::streams, 1, kMany, "", "simultaneous streams"),
      number("limits.viewers", &C::viewers, 1, kMany, "", "simultaneous viewers"),
      number("limits.message_bytes", &C::message_bytes, 256, kBytes, "bytes",
             "maximum size of a message from a client"),
      number("limits.queued_words", &C::queued_words, 1, kMany, "words",
             "source words of a stream that wait for translation; at this limit, its connection is "
             "not read"),
      number("limits.inbox_commands", &C::inbox_commands, 1, kMany, "",
             "commands that wait for the running step of a model; beyond this, streams wait"),
      number("limits.outgoing_messages", &C::outgoing_messages, 16, kMany, "",
             "messages that wait for a slow client; beyond this, a viewer is sent a snapshot, or "
             "disconnected if that does not help"),
      number("limits.outgoing_bytes", &C::outgoing_bytes, 4096, kBytes, "bytes",
             "messages that wait for a slow client; beyond this, a viewer is sent a snapshot, or "
             "disconnected if that does not help"),
      number("timeouts.idle", &C::timeouts_idle, 0.1, kDay, "seconds",
             "time without an answer to pings after which a client is disconnected"),
      number("timeouts.request", &C::timeouts_request, 0.1, kDay, "seconds",
             "maximum time to receive an HTTP request, the next request of a connection, or the "
             "start of a stream"),
      number("resume.timeout", &C::resume_timeout, 0.0, kDay, "seconds",
             "time that a stream waits for its sender after its connection is lost"),
      number("admission.max_delay_p95", &C::admission_max_delay_p95, 0.0, 1e6, "milliseconds",
             "95th percentile of the delay of words above which new streams are rejected as "
             "overloaded, as they are above admission.max_load; 0: all streams are admitted"),
      number("admission.max_load", &C::admission_max_load, 0.0, 100.0, "",
             "share of its time that a model, or the network thread, may be expected to need for "
             "all streams; near 1, words are late; 0: 0.65, or 0.4 on a single processor"),
      text("glossary.file", &C::glossary_file, any_text,
           "glossary of all streams, lines of 'term = translation'; SIGHUP reads it again for new "
           "streams"),
      list("glossary.channels", &C::glossary_channels,
           "glossaries of channels, CHANNEL=FILE; their terms take precedence over glossary.file",
           check_glossaries),
      text("web", &C::web, any_text, "folder of the web pages; empty: the shipped folder"),
      text("pages.logo", &C::pages_logo, any_text,
           "SVG or PNG file of at most 512 KiB, which the page of a channel and the list of the "
           "channels show; empty: none"),
      text("pages.accent", &C::pages_accent, check_accent,
           "accent colour of these pages, #rrggbb; text on it is black or white, whichever is "
           "easier to read; empty: none"),
      text("log.format", &C::log_format, check_format,
           "format of the log on stderr: text, or json with one object on each line"),
      text("log.level", &C::log_level, check_level,
           "lowest level of the log on stderr: debug, info, warning, error or off"),
      number("watchdog", &C::watchdog, 0.0, 1e6, "milliseconds",
             "time without progress after which a thread is logged as stalled, with its current "
             "step; 0: off, and the service manager's watchdog covers the network thread alone"),
      text("stream_logs", &C::stream_logs, any_text,
           "folder for a log of each stream with its words and translations, for 'surtitle "
           "replay'; empty: no logs, because speech is private and logs fill the disk"),
      text("journal.path", &C::journal_path, any_text,
           "file of the journal, from which streams continue after a lost connection or a crash; "
           "auto: journal.sqlite in the state folder of the service or the user; none: a stream "
           "ends with its connection"),
      text("journal.sync", &C::journal_sync, check_sync,
           "durability of the journal: normal survives a crash of the process, full also a loss of "
           "power"),
      number("journal.retention", &C::journal_retention, 0.0, 1e6, "hours",
             "time that a stream stays in the journal after its end; 0: forever"),
      text("backplane.url", &C::backplane_url, check_backplane,
           "Redis through which replicas behind a proxy share streams and channels, "
           "redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]; none: there are no other replicas"),
      number("backplane.retention", &C::backplane_retention, 0.01, 1e6, "hours",
             "time that a stream stays in Redis after its last word"),
      text("drain.mode", &C::drain_mode, check_drain_mode,
           "running streams at SIGTERM: finish translates the words received so far and ends the "
           "streams; handoff disconnects them, and the next process or another replica continues "
           "them; auto: handoff with socket activation or a backplane, otherwise finish"),
      number("drain.timeout", &C::drain_timeout, 0.0, kDay, "seconds",
             "maximum time to drain after SIGTERM"),
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

// Uses the parser that the listener uses. Text that is not an address cannot be bound, and counts
// as loopback.
bool is_loopback(const std::string& address) {
  boost::system::error_code none;
  const auto ip = boost::asio::ip::make_address(address, none);
  return none || ip.is_loopback();
}

std::map<std::string, std::filesystem::path> channel_glossaries(const DaemonConfig& config) {
  std::map<std::string, std::filesystem::path> files;
  for (const std::string& text : config.glossary_channels) {
    const std::size_t equals = text.find('=');
    files[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return files;
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
  throw std::runtime_error("address " + address + " can be reached from other machines: set " +
                           missing + ", or set access.open: true");
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
        "sender is still needed");
  }
  if (config.journal_path != "none" && config.journal_retention > 0 &&
      config.journal_retention * kHour <= config.resume_timeout) {
    throw std::runtime_error(
        "journal.retention must be longer than resume.timeout, or 0 (forever): a sender that "
        "resumes is sent the end of its stream");
  }
  if (shared && config.journal_path == "none") {
    throw std::runtime_error(
        "backplane.url needs a journal, which stores rows until Redis has them: set journal.path "
        "to a file");
  }
  if (config.queued_words <= config.sentence_words) {
    throw std::runtime_error("limits.queued_words (" + std::to_string(config.queued_words) +
                             ") must be more than sentence.words (" +
                             std::to_string(config.sentence_words) +
                             "): otherwise the word that ends a long sentence is never read");
  }
}

}  // namespace surtitle
