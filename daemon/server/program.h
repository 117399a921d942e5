// surtitled from its command line to its exit code, whatever its models are.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "daemon/config/daemon_config.h"
#include "daemon/streams/hub.h"

namespace surtitle {

// Opens what a model's tokenizer needs and says how to make its translator. Throws
// std::runtime_error with one line.
using ModelLoader =
    std::function<ModelSource(const std::string& model, const DaemonConfig& config)>;

// Loads the models, then opens the port, prints one line "surtitled ready on URL" on stdout and
// serves until SIGTERM or SIGINT; the running sentences then finish, a second signal ends it at
// once. Logs go to stderr. Returns the exit code: 0; 1 after a failure, told in one line on stderr
// (of --check: on stdout, with all that is well);
// CLI11's for a wrong command line.
int run_daemon(int argc, char** argv, const ModelLoader& load);

}  // namespace surtitle
