// What a configuration means for the hub.
#pragma once

#include "daemon/config/daemon_config.h"
#include "daemon/streams/hub.h"

namespace surtitle {

HubOptions hub_options(const DaemonConfig& config);

AdmissionOptions admission_options(const DaemonConfig& config);

// Of a single processor, which models and network thread share, less than where they have one each:
// tests/RELIABILITY.md has what was measured.
double default_admission_load(int processors);

}  // namespace surtitle
