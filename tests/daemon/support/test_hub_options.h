// Options of a hub as the daemon has them by default, with two exceptions: no stream is rejected
// for delay, and no sentence ends by itself, however busy the machine is.
#pragma once

#include "daemon/streams/hub_options.h"

namespace surtitle {

inline HubOptions test_hub_options() {
  DaemonConfig config;
  config.sentence_silence = 0;
  config.admission_max_delay_p95 = 0;
  return hub_options(config);
}

}  // namespace surtitle
