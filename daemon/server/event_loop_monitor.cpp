#include "daemon/server/event_loop_monitor.h"

namespace surtitle {

void EventLoopMonitor::tick() {
  const TimePoint now = Clock::now();
  server_.admission().network_busy(thread_.since_last(), now);
  server_.end_turn(now);
  timer_.expires_at(now + pause_);
  timer_.async_wait([this](error_code error) {
    if (!error) {
      tick();
    }
  });
}

}  // namespace surtitle
