// Notifies the service manager's watchdog that the daemon is alive.
//
// It runs on the network thread, twice in each period of the service manager's watchdog. If the
// daemon's own watchdog reports a stalled thread, the status names that thread. While a vital
// thread is stalled, no notification is sent, and the service manager restarts the daemon. The
// journal is not vital: viewers are still served, and a new daemon would wait for the same disk.
//
// Thread-safety: none; owned by the network thread.
#pragma once

#include "daemon/base/log_throttle.h"
#include "daemon/base/watchdog.h"
#include "daemon/net/beast.h"
#include "daemon/systemd/service_manager.h"

namespace surtitle {

class WatchdogNotifier {
 public:
  // Does nothing if `manager` has no watchdog. REQUIRES: all arguments outlive this object.
  WatchdogNotifier(asio::io_context& io, const ServiceManager& manager, const Watchdog& watchdog);

 private:
  void notify_watchdog();

  const ServiceManager& manager_;
  const Watchdog& watchdog_;
  asio::steady_timer timer_;
  bool stalled_ = false;  // at the last notification
  LogThrottle warning_;
};

}  // namespace surtitle
