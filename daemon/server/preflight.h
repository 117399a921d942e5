// `surtitled --check`: whether the daemon would start with this configuration, without starting it.
//
// Thread-safety: pure functions; they read files and bind the port for a moment.
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
  std::string what;   // one sentence, without a secret in it

  std::string line() const;  // "ok    journal.path: ..."
};

// Reads a model's files as far as that is quick, and returns its name; throws what is wrong.
using ModelCheck = std::function<std::string(const std::string& model)>;

// Tokens, TLS, models, journal, logs, pages, address; in the order of the configuration.
std::vector<CheckResult> check_setup(const DaemonConfig& config, const ModelCheck& check_model);

}  // namespace surtitle
