// Ends the daemon when the system asks for it with SIGTERM or SIGINT.
//
// The first signal drains: running sentences finish, or streams are handed over, at the latest
// after the drain timeout; who has connected and was not answered yet has a second more; then the
// io_context stops. A second signal stops it at once.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <functional>

#include "daemon/base/clock.h"
#include "daemon/net/beast.h"
#include "daemon/streams/hub.h"

namespace surtitle {

class Shutdown {
 public:
  // `begins` is called once, before the draining.
  Shutdown(asio::io_context& io, Hub& hub, Hub::DrainMode drain_mode, Seconds drain_timeout,
           std::function<void()> begins);

  // As the first signal does; nothing where it has begun.
  void drain();

  // Whether a second signal cut the draining short.
  bool forced() const noexcept { return forced_; }

 private:
  void wait();
  void asked();
  void wait_for_pending_requests(int looks);

  asio::io_context& io_;
  Hub& hub_;
  asio::signal_set signals_;
  asio::steady_timer timer_;
  const Hub::DrainMode drain_mode_;
  const Seconds timeout_;
  const std::function<void()> begins_;
  bool signalled_ = false;
  bool forced_ = false;
};

}  // namespace surtitle
