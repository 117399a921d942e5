// The main function of surtitled, for any implementation of the models.
//
// Thread-safety: none; belongs to the main thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "daemon/config/daemon_config.h"
#include "daemon/streams/model_pool.h"

namespace surtitle {

// Opens the tokenizers of a model and returns them with a factory of its translator. Throws
// std::runtime_error with one line.
using ModelLoader =
    std::function<ModelSource(const std::string& model, const DaemonConfig& config)>;

// Loads the models, opens the port and prints the line "surtitled ready on URL" on stdout. Then
// serves until SIGTERM or SIGINT, which drain the daemon (see shutdown.h). The log is on stderr.
//
// Returns the exit code:
//   0  success
//   1  a failure, with one line on stderr (with --check on stdout, among the other results), or a
//      second signal interrupted the draining
//   2  the command line cannot be parsed
int run_daemon(int argc, char** argv, const ModelLoader& load);

}  // namespace surtitle
