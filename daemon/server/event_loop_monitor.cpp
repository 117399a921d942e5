#include "daemon/server/event_loop_monitor.h"

namespace surtitle {

void EventLoopMonitor::on_timer() {
  const TimePoint now = Clock::now();
  server_.admission().network_busy(thread_.since_last(), now);
  server_.end_round(now);
  timer_.expires_at(now + pause_);
  timer_.async_wait([this](error_code error) {
    if (!error) {
      on_timer();
    }
  });
}

}  // namespace surtitle
