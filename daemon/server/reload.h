// Reloads tokens, keys, certificates and glossaries from their files on SIGHUP.
//
// Tokens and keys, certificates, and glossaries are each reloaded by themselves. If a file is
// invalid, the previous contents of its kind stay in use and the log has the error. Open
// connections are not affected.
//
// Thread-safety: none; owned by the network thread.
#pragma once

#include <functional>
#include <vector>

#include "daemon/net/beast.h"
#include "daemon/systemd/service_manager.h"
#include "daemon/telemetry/daemon_metrics.h"

namespace surtitle {

class Reload {
 public:
  // Each of `parts` reloads its own files. It throws std::runtime_error if a file is invalid.
  // REQUIRES: all arguments outlive this object.
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
