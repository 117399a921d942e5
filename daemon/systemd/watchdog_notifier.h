// Notifies the service manager's watchdog, as often as it asks, that the daemon is alive: the
// network thread, which runs this, and all threads that are vital to the daemon's own watchdog. If
// a thread stalls, the status names it. If that thread is vital, the watchdog is not notified, and
// the service manager restarts the daemon. A stalled journal is not vital: viewers are served, and
// the next daemon would wait for the same disk.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include "daemon/base/log_throttle.h"
#include "daemon/base/watchdog.h"
#include "daemon/net/beast.h"
#include "daemon/systemd/sd_notify.h"

namespace surtitle {

class WatchdogNotifier {
 public:
  // Does nothing where `manager` wants no sign of life. All outlive this.
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
