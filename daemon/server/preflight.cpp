#include "daemon/server/preflight.h"

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "daemon/access/access_control.h"
#include "daemon/base/install_paths.h"
#include "daemon/http/branding.h"
#include "daemon/http/static_files.h"
#include "daemon/journal/sqlite_store.h"
#include "daemon/net/beast.h"
#include "daemon/net/tls.h"
#include "daemon/streams/channel_glossaries.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;
using Kind = CheckResult::Kind;

// Runs one check. The text of an exception becomes a result of kind kBad.
template <class Check>
CheckResult run_check(const std::string& about, const Check& check) {
  try {
    return {Kind::kGood, about, check()};
  } catch (const std::exception& wrong) {
    return {Kind::kBad, about, wrong.what()};
  }
}

// Returns the folder itself, or the nearest existing folder above it.
fs::path existing_folder(fs::path folder) {
  std::error_code error;
  folder = fs::absolute(folder);
  while (!fs::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

void require_writable_folder(const fs::path& folder) {
  const fs::path there = existing_folder(folder);
  std::error_code error;
  if (!fs::is_directory(there, error)) {
    throw std::runtime_error(there.string() + " is not a folder");
  }
  if (access(there.c_str(), W_OK | X_OK) != 0) {
    throw std::runtime_error("the folder " + there.string() + " is not writable by this user");
  }
}

std::string journal(const DaemonConfig& config) {
  if (config.journal_path == "none") {
    return "none; streams end with their connections";
  }
  const fs::path file = fs::absolute(journal_file(config.journal_path));
  require_writable_folder(file.parent_path());
  std::error_code error;
  if (!fs::exists(file, error)) {
    return file.string() + " can be created";
  }
  if (!fs::is_regular_file(file, error) || access(file.c_str(), R_OK | W_OK) != 0) {
    throw std::runtime_error(file.string() + " must be a file that this user can read and write");
  }
  if (fs::file_size(file) > 0) {
    const JournalReader reader(file);  // throws if it is not a journal
  }
  return file.string() + " can be written";
}

std::string tokens(const DaemonConfig& config) {
  const AccessControl access({config.access_tokens, config.access_key});
  return access.auth_enabled() ? "the files are valid; clients need a token or a signed link"
                               : "none; clients need no token";
}

std::string encryption(const DaemonConfig& config) {
  const ServerTls tls({config.tls_certificate, config.tls_key});
  return tls.context() == nullptr ? "none; connections are not encrypted"
                                  : config.tls_certificate + " matches its key";
}

std::string glossaries(const DaemonConfig& config) {
  const ChannelGlossaries read({config.glossary_file, channel_glossaries(config)});
  return "the files are valid";
}

std::string pages(const DaemonConfig& config) {
  const fs::path folder = config.web.empty() ? shipped_folder("web") : fs::path(config.web);
  const StaticFiles files(folder);
  if (!files.find("/viewer.html")) {
    throw std::runtime_error("the folder " + folder.string() + " must contain viewer.html");
  }
  return folder.string() + " contains the pages";
}

// Binds the acceptor to the address and port.
error_code bind_to_port(tcp::acceptor& acceptor, const DaemonConfig& config) {
  error_code error;
  const auto ip = asio::ip::make_address(config.address, error);
  const tcp::endpoint endpoint(ip, static_cast<std::uint16_t>(config.port));
  if (!error) {
    acceptor.open(endpoint.protocol(), error);
  }
  if (!error) {
    acceptor.set_option(asio::socket_base::reuse_address(true), error);
  }
  if (!error) {
    acceptor.bind(endpoint, error);
  }
  return error;
}

std::string place_of(const DaemonConfig& config) {
  return config.address + " port " + std::to_string(config.port);
}

// If the port is in use, the result is a note: the user may check the configuration of a running
// daemon, which has the port.
CheckResult address(const DaemonConfig& config) {
  const std::string place = place_of(config);
  asio::io_context io;
  tcp::acceptor acceptor(io);
  error_code error = bind_to_port(acceptor, config);
  if (!error) {
    acceptor.listen(1, error);
  }
  if (error == asio::error::address_in_use) {
    return {Kind::kNote, "address", place + " is in use, as it is while a daemon runs"};
  }
  return error ? CheckResult{Kind::kBad, "address",
                             "cannot listen on " + place + ": " + error.message()}
               : CheckResult{Kind::kGood, "address", place + " is free"};
}

std::vector<CheckResult> models(const DaemonConfig& config, const ModelCheck& check_model) {
  const std::vector<std::string> names = config.models.empty() ? shipped_models() : config.models;
  std::vector<CheckResult> results;
  std::set<std::string> served;
  for (const std::string& model : names) {
    results.push_back(run_check("models", [&] {
      served.insert(check_model(model));
      return model + " can be loaded";
    }));
  }
  if (names.empty()) {
    results.push_back({Kind::kBad, "models", "no shipped model was found; set models"});
  }
  if (!config.default_model.empty() && !served.contains(config.default_model)) {
    results.push_back({Kind::kBad, "default_model",
                       "must be one of the served models, not '" + config.default_model + "'"});
  }
  return results;
}

}  // namespace

std::string CheckResult::line() const {
  const std::string mark = kind == Kind::kGood   ? "ok    "
                           : kind == Kind::kNote ? "note  "
                                                 : "error ";
  return mark + about + ": " + what;
}

void check_port(const DaemonConfig& config) {
  asio::io_context io;
  tcp::acceptor acceptor(io);
  // Without listen(): a client that connects meanwhile would be cut.
  if (const error_code error = bind_to_port(acceptor, config)) {
    const bool in_use = error == asio::error::address_in_use;
    throw std::runtime_error("cannot listen on " + place_of(config) + ": " + error.message() +
                             (in_use ? "; end the program that has this port, or choose another "
                                       "with --port"
                                     : ""));
  }
}

std::vector<CheckResult> check_setup(const DaemonConfig& config, const ModelCheck& check_model) {
  std::vector<CheckResult> results;
  results.push_back(address(config));
  results.push_back(run_check("access.tokens", [&] { return tokens(config); }));
  results.push_back(run_check("tls.certificate", [&] { return encryption(config); }));
  for (CheckResult& model : models(config, check_model)) {
    results.push_back(std::move(model));
  }
  if (!config.glossary_file.empty() || !config.glossary_channels.empty()) {
    results.push_back(run_check("glossary", [&] { return glossaries(config); }));
  }
  results.push_back(run_check("web", [&] { return pages(config); }));
  if (!config.pages_logo.empty()) {
    results.push_back(run_check("pages.logo", [&] {
      const Branding branding(config.pages_logo, config.pages_accent);
      return config.pages_logo + " can be shown";
    }));
  }
  results.push_back(run_check("journal.path", [&] { return journal(config); }));
  if (!config.stream_logs.empty()) {
    results.push_back(run_check("stream_logs", [&] {
      require_writable_folder(config.stream_logs);
      return config.stream_logs + " can be written";
    }));
  }
  return results;
}

}  // namespace surtitle
