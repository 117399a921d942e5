#include "daemon/server/event_loop_monitor.h"

namespace surtitle {

void Heartbeat::beat() {
  const TimePoint now = Clock::now();
  hub_.admission().network_busy(thread_.since_last(), now);
  hub_.beat(now);
  timer_.expires_at(now + pause_);
  timer_.async_wait([this](error_code error) {
    if (!error) {
      beat();
    }
  });
}

}  // namespace surtitle
