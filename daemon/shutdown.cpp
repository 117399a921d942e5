#include "daemon/shutdown.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <utility>

namespace surtitle {

Shutdown::Shutdown(asio::io_context& io, Hub& hub, Seconds drain_timeout,
                   std::function<void()> begins)
    : io_(io),
      hub_(hub),
      signals_(io, SIGTERM, SIGINT),
      timer_(io),
      timeout_(drain_timeout),
      begins_(std::move(begins)) {
  wait();
}

void Shutdown::wait() {
  signals_.async_wait([this](error_code error, int /*signal*/) {
    if (!error) {
      asked();
    }
  });
}

void Shutdown::asked() {
  if (std::exchange(signalled_, true)) {
    spdlog::warn("asked again: ending at once");
    forced_ = true;
    io_.stop();
    return;
  }
  wait();
  drain();
}

void Shutdown::drain() {
  if (hub_.draining()) {
    return;
  }
  spdlog::info("draining: running sentences finish, at most {} s", timeout_.count());
  begins_();
  timer_.expires_after(to_duration(timeout_));
  timer_.async_wait([this](error_code error) {
    if (!error) {
      spdlog::warn("draining took too long: ending what is left");
      io_.stop();
    }
  });
  hub_.drain([this] { io_.stop(); });
}

}  // namespace surtitle
