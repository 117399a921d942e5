// The network thread's pulse: four times a second, or as often as a watchdog looks, it says that it
// comes around, and what the daemon is like just then is measured.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include "daemon/base/thread_busy_time.h"
#include "daemon/base/watchdog.h"
#include "daemon/net/beast.h"
#include "daemon/streams/hub.h"

namespace surtitle {

class Heartbeat {
 public:
  static constexpr std::chrono::milliseconds kPause{250};

  Heartbeat(asio::io_context& io, Hub& hub, const Watchdog& watchdog)
      : timer_(io),
        hub_(hub),
        pause_(watchdog.on() ? std::min<Clock::duration>(kPause, watchdog.pause()) : kPause) {
    beat();
  }

 private:
  void beat();

  asio::steady_timer timer_;
  Hub& hub_;
  const Clock::duration pause_;
  ThreadBusyTime thread_;
};

}  // namespace surtitle
