// The checks of `surtitled --check`: would the daemon start with this configuration?
//
// Thread-safety: may be called from any thread. The functions read files and bind the port for a
// moment.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/config/daemon_config.h"

namespace surtitle {

struct CheckResult {
  enum class Kind { kGood, kNote, kBad };
  Kind kind = Kind::kGood;
  std::string about;  // the field
  std::string what;   // one sentence without secrets

  std::string line() const;  // "ok    journal.path: ..."
};

// Reads a model's files and returns its name. Throws an exception whose text says what is wrong.
using ModelCheck = std::function<std::string(const std::string& model)>;

// Throws std::runtime_error if the port cannot be opened. Called before models are loaded, so that
// a port in use is reported at once. The port is not kept.
void check_port(const DaemonConfig& config);

// Checks address, tokens, TLS, models, pages, journal and stream logs, in this order. Returns at
// least one result for each, but none for stream logs if they are off.
std::vector<CheckResult> check_setup(const DaemonConfig& config, const ModelCheck& check_model);

}  // namespace surtitle
