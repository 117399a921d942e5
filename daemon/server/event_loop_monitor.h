// Measures the load of the network thread and marks its progress for the watchdog.
//
// Four times a second, it ends a round in the thread's breadcrumb and updates the metrics of load.
// It does so more often if the watchdog checks more often.
//
// Thread-safety: none; owned by the network thread.
#pragma once

#include "daemon/base/thread_busy_time.h"
#include "daemon/base/watchdog.h"
#include "daemon/net/beast.h"
#include "daemon/streams/server_context.h"

namespace surtitle {

class EventLoopMonitor {
 public:
  static constexpr std::chrono::milliseconds kPause{250};

  EventLoopMonitor(asio::io_context& io, ServerContext& server, const Watchdog& watchdog)
      : timer_(io),
        server_(server),
        pause_(watchdog.on() ? std::min<Clock::duration>(kPause, watchdog.pause()) : kPause) {
    on_timer();
  }

 private:
  void on_timer();

  asio::steady_timer timer_;
  ServerContext& server_;
  const Clock::duration pause_;
  ThreadBusyTime thread_;
};

}  // namespace surtitle
