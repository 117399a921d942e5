// An event on which a coroutine waits, and which another part of the same thread notifies. Check
// the condition first, then wait: nothing can happen in between.
#pragma once

#include "daemon/base/clock.h"
#include "daemon/net/beast.h"

namespace surtitle {

class AsyncEvent {
 public:
  explicit AsyncEvent(const asio::any_io_executor& executor) : timer_(executor) {}

  // Until notify(), or until `deadline`.
  asio::awaitable<void> wait(TimePoint deadline = TimePoint::max()) {
    timer_.expires_at(deadline);
    error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  void notify() { timer_.cancel(); }

 private:
  asio::steady_timer timer_;
};

}  // namespace surtitle
