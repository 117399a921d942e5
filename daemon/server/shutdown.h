// Drains and stops the daemon on SIGTERM or SIGINT.
//
// The first signal begins to drain: running sentences finish, or streams are handed off. If this
// takes longer than the drain timeout, the io_context stops at once. Otherwise requests that are
// not answered yet have one second more; then the io_context stops. A second signal stops the
// io_context at once.
//
// Thread-safety: none; owned by the network thread.
#pragma once

#include <functional>

#include "daemon/base/clock.h"
#include "daemon/net/beast.h"
#include "daemon/streams/stream_registry.h"

namespace surtitle {

class Shutdown {
 public:
  // `begins` is called once, when the daemon begins to drain. REQUIRES: `io` and `streams` outlive
  // this object.
  Shutdown(asio::io_context& io, StreamRegistry& streams, StreamRegistry::DrainMode drain_mode,
           Seconds drain_timeout, std::function<void()> begins);

  // Begins to drain, as the first signal does. Does nothing if the daemon drains already.
  void drain();

  // Returns true if a second signal interrupted the draining.
  bool forced() const noexcept { return forced_; }

 private:
  void wait();
  void on_signal();
  void wait_for_pending_requests(int checks_left);

  asio::io_context& io_;
  StreamRegistry& streams_;
  asio::signal_set signals_;
  asio::steady_timer timer_;
  const StreamRegistry::DrainMode drain_mode_;
  const Seconds timeout_;
  const std::function<void()> begins_;
  bool signalled_ = false;
  bool forced_ = false;
};

}  // namespace surtitle
