// Tells the service manager, as often as its watchdog asks, that the daemon gets on: the network
// thread, which runs this, and all that is vital to the daemon's own watchdog. Where something
// stands still, it is told what, and where that is vital, not that the daemon is alive: it kills
// the daemon and starts another. A journal that stands still is not vital: viewers go on, and the
// next daemon would wait for the same disk.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include "daemon/base/log_throttle.h"
#include "daemon/base/watchdog.h"
#include "daemon/net/beast.h"
#include "daemon/systemd/sd_notify.h"

namespace surtitle {

class KeepAlive {
 public:
  // Does nothing where `manager` wants no sign of life. All outlive this.
  KeepAlive(asio::io_context& io, const ServiceManager& manager, const Watchdog& watchdog);

 private:
  void beat();

  const ServiceManager& manager_;
  const Watchdog& watchdog_;
  asio::steady_timer timer_;
  bool stood_ = false;  // at the last beat
  RareWarning warning_;
};

}  // namespace surtitle
