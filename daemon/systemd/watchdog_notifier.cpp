#include "daemon/systemd/watchdog_notifier.h"

#include <string>

#include "daemon/base/log.h"

namespace surtitle {

KeepAlive::KeepAlive(asio::io_context& io, const ServiceManager& manager, const Watchdog& watchdog)
    : manager_(manager), watchdog_(watchdog), timer_(io) {
  if (manager_.watchdog()) {
    beat();
  }
}

void KeepAlive::beat() {
  const Seconds interval = *manager_.watchdog() / 2;
  const Watchdog::Standing standing = watchdog_.standing();
  if (!standing.threads.empty()) {
    manager_.status("standing still: " + standing.threads);
  } else if (stood_) {
    manager_.status("serving");
  }
  if (!standing.vital) {
    manager_.alive();
  } else if (const auto line = warning_.happened(
                 "the service manager is not told that the daemon is alive: " + standing.threads +
                     " stands still",
                 Clock::now())) {
    log(LogLevel::kError, *line);
  }
  stood_ = !standing.threads.empty();
  timer_.expires_after(to_duration(interval));
  timer_.async_wait([this](error_code error) {
    if (!error) {
      beat();
    }
  });
}

}  // namespace surtitle
