// Measures the network thread: four times a second, or as often as the watchdog checks, it marks
// the end of a turn in the thread's breadcrumb and updates the metrics of load.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include "daemon/base/thread_busy_time.h"
#include "daemon/base/watchdog.h"
#include "daemon/net/beast.h"
#include "daemon/streams/hub.h"

namespace surtitle {

class EventLoopMonitor {
 public:
  static constexpr std::chrono::milliseconds kPause{250};

  EventLoopMonitor(asio::io_context& io, Hub& hub, const Watchdog& watchdog)
      : timer_(io),
        hub_(hub),
        pause_(watchdog.on() ? std::min<Clock::duration>(kPause, watchdog.pause()) : kPause) {
    tick();
  }

 private:
  void tick();

  asio::steady_timer timer_;
  Hub& hub_;
  const Clock::duration pause_;
  ThreadBusyTime thread_;
};

}  // namespace surtitle
