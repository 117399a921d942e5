// An event that one coroutine waits for and other code of the same thread notifies.
//
// A notification is not stored. Check the condition, then wait: nothing runs in between.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include "daemon/base/clock.h"
#include "daemon/net/beast.h"

namespace surtitle {

class AsyncEvent {
 public:
  explicit AsyncEvent(const asio::any_io_executor& executor) : timer_(executor) {}

  // Waits for notify(), at most until `deadline`.
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
