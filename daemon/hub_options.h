// What a configuration means for the hub.
#pragma once

#include "daemon/daemon_config.h"
#include "daemon/hub.h"

namespace surtitle {

HubOptions hub_options(const DaemonConfig& config);

}  // namespace surtitle
