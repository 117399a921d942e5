// Options of the server context as the daemon has them by default, with two exceptions: no stream
// is rejected for delay, and no sentence ends by itself, however busy the machine is.
#pragma once

#include "daemon/streams/options_from_config.h"

namespace surtitle {

inline ServerOptions test_server_options() {
  DaemonConfig config;
  config.sentence_silence = 0;
  config.admission_max_delay_p95 = 0;
  return server_options(config);
}

}  // namespace surtitle
