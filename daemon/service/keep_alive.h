// Tells the service manager, as often as its watchdog asks, that the daemon gets on: the network
// thread, which runs this, and whatever else is asked about. Where something stands still, it is
// told what, and not that the daemon is alive: it kills the daemon and starts another.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "daemon/beast.h"
#include "daemon/rare_warning.h"
#include "daemon/service/service_manager.h"

namespace surtitle {

class KeepAlive {
 public:
  // What stands still for longer than it may, in words; nothing where all is well.
  using Stuck = std::function<std::optional<std::string>(Seconds longest)>;

  // Does nothing where `manager` has no watchdog.
  KeepAlive(asio::io_context& io, const ServiceManager& manager, Stuck stuck);

 private:
  void beat();

  const ServiceManager& manager_;
  const Stuck stuck_;
  asio::steady_timer timer_;
  bool stood_ = false;  // at the last beat
  RareWarning warning_;
};

}  // namespace surtitle
