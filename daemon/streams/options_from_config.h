// Converts the configuration to the options of the server context.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include "daemon/config/daemon_config.h"
#include "daemon/streams/server_context.h"

namespace surtitle {

ServerOptions server_options(const DaemonConfig& config);

AdmissionOptions admission_options(const DaemonConfig& config);

// Returns the default of admission.max_load. It is lower for a single processor, which the models
// and the network thread share. tests/RELIABILITY.md has the measurements.
double default_admission_load(int processors);

}  // namespace surtitle
