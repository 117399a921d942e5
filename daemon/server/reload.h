// Reads files anew when the system says SIGHUP: tokens, keys, certificates. What is broken stays as
// it was, with one sentence in the log; connections do not notice either.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <functional>
#include <vector>

#include "daemon/net/beast.h"
#include "daemon/systemd/sd_notify.h"
#include "daemon/telemetry/daemon_metrics.h"

namespace surtitle {

class Reload {
 public:
  // Each of `parts` reads its own and throws std::runtime_error where that is broken.
  Reload(asio::io_context& io, DaemonMetrics& metrics, const ServiceManager& manager,
         std::vector<std::function<void()>> parts);

 private:
  void wait();
  void read();

  DaemonMetrics& metrics_;
  const ServiceManager& manager_;
  asio::signal_set signals_;
  const std::vector<std::function<void()>> parts_;
};

}  // namespace surtitle
