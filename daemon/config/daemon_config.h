// All settings of surtitled, from surtitled.yaml and the command line.
//
// One table in daemon_config.cpp holds the name, the unit, the help and the check of each field.
// The field "sentence.silence" is `sentence: {silence: 2}` in the file and --sentence-silence 2 on
// the command line. The help of a field describes its meaning.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "daemon/access/client_quota.h"

namespace surtitle {

struct DaemonConfig {
  std::string address = "127.0.0.1";
  int port = 8765;
  std::vector<std::string> allowed_origins;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_recognisers;  // to which the console may send speech

  std::string access_tokens;    // file; empty: none
  std::string access_key;       // file; empty: none
  bool access_metrics = false;  // /metrics needs no token
  bool access_open = false;     // beyond loopback, neither tokens nor TLS are needed
  std::vector<std::string> trusted_proxies;
  QuotaLimits per_address{.connections = 4096,
                          .new_connections = 300,
                          .streams = 256,
                          .words = 1000,
                          .bytes = 1'000'000,
                          .requests = 3000};
  std::vector<std::string> per_address_exempt{"127.0.0.0/8", "::1"};
  QuotaLimits per_token;
  std::string tls_certificate;
  std::string tls_key;

  std::vector<std::string> models;
  std::string default_model;
  std::string default_policy;
  std::string device = "auto";
  std::string precision = "auto";
  int threads = 0;  // 0: one fewer than the available processors
  int max_sentences = 2048;

  double sentence_silence = 2.0;  // seconds; 0: off
  int sentence_words = 100;

  int streams = 2048;  // simultaneous ones
  int viewers = 8192;
  int message_bytes = 65536;
  int queued_words = 2000;
  int inbox_commands = 16384;
  int outgoing_messages = 8192;
  int outgoing_bytes = 4194304;
  double timeouts_idle = 45;     // seconds
  double timeouts_request = 30;  // seconds

  double admission_max_delay_p95 = 200;  // milliseconds; 0: every stream is admitted
  double admission_max_load = 0;         // 0: depends on the number of processors

  std::string glossary_file;
  std::vector<std::string> glossary_channels;  // "hall=FILE"

  std::string web;           // folder of the pages; empty: the shipped one
  std::string pages_logo;    // file; empty: none
  std::string pages_accent;  // colour; empty: the default
  std::string log_format = "text";
  std::string log_level = "info";
  double watchdog = 2000;   // milliseconds; 0: off
  std::string stream_logs;  // folder; empty: none are written
  std::string journal_path = "auto";
  std::string journal_sync = "normal";
  double journal_retention = 24;  // hours; 0: forever
  std::string backplane_url;
  double backplane_retention = 24;  // hours
  double resume_timeout = 30;       // seconds
  std::string drain_mode = "auto";
  double drain_timeout = 25;  // seconds
};

// One field. Values are texts, as in a file or on the command line. A list may have any number of
// values, every other field has exactly one.
struct ConfigField {
  std::string name;  // "sentence.silence"
  std::string unit;  // "seconds"; "" if there is none
  std::string help;
  bool list = false;
  // Throws std::invalid_argument, "must be ...", if a value is invalid.
  std::function<void(DaemonConfig&, const std::vector<std::string>&)> set;
  std::function<std::vector<std::string>(const DaemonConfig&)> get;

  std::string flag() const;  // "--sentence-silence"
};
const std::vector<ConfigField>& config_fields();

// A field that had another name in an earlier version.
struct RenamedField {
  std::string was;
  std::string name;

  std::string message() const;  // "limits.idle is now timeouts.idle"
  // The flag of the old name, or "" if both names have the same flag, as drain_timeout and
  // drain.timeout.
  std::string old_flag() const;
  std::string flag_message() const;  // "--limits-idle is now --timeouts-idle"
};
const std::vector<RenamedField>& renamed_fields();
// Returns the entry of an old name, or nullptr if no field had this name.
const RenamedField* find_renamed(const std::string& was);

// Reads the file into `config`; fields that the file does not contain keep their values. Throws
// std::runtime_error, "FILE:LINE: unknown field 'x'; allowed: ...", if a field is unknown, was
// renamed or has an invalid value.
void read_config(const std::filesystem::path& file, DaemonConfig& config);

// Returns the files of glossary.channels by channel. REQUIRES: their check has passed.
std::map<std::string, std::filesystem::path> channel_glossaries(const DaemonConfig& config);

// Checks the conditions that involve several fields. Throws std::runtime_error.
void check_config(const DaemonConfig& config);
// Checks that the daemon may listen on this IP address: beyond loopback it needs TLS and tokens, or
// access.open. Throws std::runtime_error.
void check_exposure(const DaemonConfig& config, const std::string& address);

// Returns the configuration as a commented file that read_config() can read.
std::string to_yaml(const DaemonConfig& config);

}  // namespace surtitle
