#include "daemon/systemd/watchdog_notifier.h"

#include <string>

#include "daemon/base/log.h"

namespace surtitle {

WatchdogNotifier::WatchdogNotifier(asio::io_context& io, const ServiceManager& manager,
                                   const Watchdog& watchdog)
    : manager_(manager), watchdog_(watchdog), timer_(io) {
  if (manager_.watchdog()) {
    notify_watchdog();
  }
}

void WatchdogNotifier::notify_watchdog() {
  const Seconds interval = *manager_.watchdog() / 2;
  const Watchdog::StalledThreads stalled = watchdog_.stalled_threads();
  if (!stalled.threads.empty()) {
    manager_.status("stalled: " + stalled.threads);
  } else if (stalled_) {
    manager_.status("serving");
  }
  if (!stalled.vital) {
    manager_.alive();
  } else if (const auto line = warning_.record(
                 "Watchdog notification withheld: stalled threads: " + stalled.threads,
                 Clock::now())) {
    log(LogLevel::kError, *line);
  }
  stalled_ = !stalled.threads.empty();
  timer_.expires_after(to_duration(interval));
  timer_.async_wait([this](error_code error) {
    if (!error) {
      notify_watchdog();
    }
  });
}

}  // namespace surtitle
