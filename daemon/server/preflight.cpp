#include "daemon/server/preflight.h"

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "daemon/access/access_control.h"
#include "daemon/base/install_paths.h"
#include "daemon/http/static_files.h"
#include "daemon/journal/sqlite_store.h"
#include "daemon/net/beast.h"
#include "daemon/net/tls.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;
using Kind = CheckResult::Kind;

// What is found where nothing is thrown.
template <class Look>
CheckResult look_at(const std::string& about, const Look& look) {
  try {
    return {Kind::kGood, about, look()};
  } catch (const std::exception& wrong) {
    return {Kind::kBad, about, wrong.what()};
  }
}

// The folder itself, or the nearest one above it that is there and in which it would be made.
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
    throw std::runtime_error(there.string() + " is no folder");
  }
  if (access(there.c_str(), W_OK | X_OK) != 0) {
    throw std::runtime_error("the folder " + there.string() + " cannot be written");
  }
}

std::string journal(const DaemonConfig& config) {
  if (config.journal_path == "none") {
    return "none; a stream ends with its connection";
  }
  const fs::path file = fs::absolute(journal_file(config.journal_path));
  require_writable_folder(file.parent_path());
  std::error_code error;
  if (!fs::exists(file, error)) {
    return file.string() + " can be made";
  }
  if (!fs::is_regular_file(file, error) || access(file.c_str(), R_OK | W_OK) != 0) {
    throw std::runtime_error(file.string() + " is no file that can be read and written");
  }
  if (fs::file_size(file) > 0) {
    const JournalReader reader(file);  // throws where it is no journal
  }
  return file.string() + " can be written";
}

std::string tokens(const DaemonConfig& config) {
  const AccessControl access({config.access_tokens, config.access_key});
  return access.auth_enabled() ? "the files are whole; who comes needs a token"
                               : "no token is asked for";
}

std::string encryption(const DaemonConfig& config) {
  const ServerTls tls({config.tls_certificate, config.tls_key});
  return tls.context() == nullptr ? "connections are not encrypted"
                                  : config.tls_certificate + " and its key are a pair";
}

std::string pages(const DaemonConfig& config) {
  const fs::path folder = config.web.empty() ? shipped_folder("web") : fs::path(config.web);
  const StaticFiles files(folder);
  if (!files.find("/viewer.html")) {
    throw std::runtime_error("there is no viewer.html in " + folder.string());
  }
  return folder.string() + " has the pages";
}

// A daemon that runs has its port: that is no reason not to restart it with this configuration.
CheckResult address(const DaemonConfig& config) {
  const std::string place = config.address + " port " + std::to_string(config.port);
  error_code error;
  const auto ip = asio::ip::make_address(config.address, error);
  asio::io_context io;
  tcp::acceptor acceptor(io);
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
  if (!error) {
    acceptor.listen(1, error);
  }
  if (error == asio::error::address_in_use) {
    return {Kind::kNote, "address", place + " is taken just now; a daemon that runs has it"};
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
    results.push_back(look_at("models", [&] {
      served.insert(check_model(model));
      return model + " has what it needs";
    }));
  }
  if (names.empty()) {
    results.push_back({Kind::kBad, "models", "no model is shipped; name one"});
  }
  if (!config.default_model.empty() && !served.contains(config.default_model)) {
    results.push_back({Kind::kBad, "default_model",
                       config.default_model + " is not among the models that are served"});
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

std::vector<CheckResult> check_setup(const DaemonConfig& config, const ModelCheck& check_model) {
  std::vector<CheckResult> results;
  results.push_back(address(config));
  results.push_back(look_at("access.tokens", [&] { return tokens(config); }));
  results.push_back(look_at("tls.certificate", [&] { return encryption(config); }));
  for (CheckResult& model : models(config, check_model)) {
    results.push_back(std::move(model));
  }
  results.push_back(look_at("web", [&] { return pages(config); }));
  results.push_back(look_at("journal.path", [&] { return journal(config); }));
  if (!config.stream_logs.empty()) {
    results.push_back(look_at("stream_logs", [&] {
      require_writable_folder(config.stream_logs);
      return config.stream_logs + " can be written";
    }));
  }
  return results;
}

}  // namespace surtitle
