// Everything that can be set of surtitled: surtitled.yaml and the command line.
//
// One table in daemon_config.cpp holds each field's name, unit, help and check. The field
// "sentence.silence" stands in the file as `sentence: {silence: 2}` and on the command line as
// --sentence-silence 2.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "daemon/access/client_quota.h"

namespace surtitle {

struct DaemonConfig {
  std::string address = "127.0.0.1";
  int port = 8765;
  std::vector<std::string> allowed_origins;
  std::vector<std::string> allowed_hosts;

  std::string access_tokens;
  std::string access_key;
  bool access_metrics = false;
  bool access_open = false;
  std::vector<std::string> trusted_proxies;
  QuotaLimits per_address{4096, 300, 256, 1000, 1'000'000, 3000};
  std::vector<std::string> per_address_exempt{"127.0.0.0/8", "::1"};
  QuotaLimits per_token;
  std::string tls_certificate;
  std::string tls_key;

  std::vector<std::string> models;
  std::string default_model;
  std::string default_policy;
  std::string device = "auto";
  std::string precision = "auto";
  int threads = 0;
  int max_sentences = 2048;

  double sentence_silence = 2.0;
  int sentence_words = 400;

  int streams = 2048;
  int viewers = 8192;
  int message_bytes = 65536;
  int queued_words = 2000;
  int inbox_commands = 16384;
  int outgoing_messages = 8192;
  int outgoing_bytes = 4194304;
  double idle_seconds = 45;
  double request_seconds = 30;

  double admission_max_delay_p95 = 200;
  double admission_max_load = 0;  // 0: by processors

  std::string web;
  std::string log_format = "text";
  std::string log_level = "info";
  double watchdog = 2000;
  std::string stream_logs;
  std::string journal_path = "auto";
  std::string journal_sync = "normal";
  double journal_retention = 24;
  std::string backplane_url;
  double backplane_retention = 24;
  double resume_timeout = 30;
  std::string drain_mode = "auto";
  double drain_timeout = 25;
};

// One field. The values are texts as they stand in a file or behind a flag; fields that are no list
// take exactly one.
struct ConfigField {
  std::string name;  // "sentence.silence"
  std::string unit;  // "seconds", "" where there is none
  std::string help;
  bool list = false;
  // Throws std::invalid_argument, "must be ...".
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
  // The flag that is gone, or "" if both names have the same flag, as drain_timeout and
  // drain.timeout.
  std::string old_flag() const;
  std::string flag_message() const;  // "--limits-idle is now --timeouts-idle"
};
const std::vector<RenamedField>& renamed_fields();
// Returns nullptr if no field had this name.
const RenamedField* find_renamed(const std::string& was);

// Sets the fields of the file. Throws std::runtime_error: "FILE:LINE: unknown field 'x'; allowed:
// ...", and the same way for a wrong value and for a renamed field.
void read_config(const std::filesystem::path& file, DaemonConfig& config);

// What no single field can know. Throws std::runtime_error.
void check_config(const DaemonConfig& config);
// Whether it may be reached at this IP address. Throws std::runtime_error.
void check_exposure(const DaemonConfig& config, const std::string& address);

// The configuration as a commented file that read_config() takes.
std::string to_yaml(const DaemonConfig& config);

}  // namespace surtitle
