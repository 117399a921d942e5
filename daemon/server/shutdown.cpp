#include "daemon/server/shutdown.h"

#include <chrono>
#include <csignal>
#include <utility>

#include "daemon/base/log.h"

namespace surtitle {
namespace {

// The checks are counted, not timed: a process that was stopped meanwhile has read no request.
constexpr int kLooks = 100;
constexpr std::chrono::milliseconds kLookAgain{10};

}  // namespace

Shutdown::Shutdown(asio::io_context& io, StreamRegistry& streams,
                   StreamRegistry::DrainMode drain_mode, Seconds drain_timeout,
                   std::function<void()> begins)
    : io_(io),
      streams_(streams),
      signals_(io, SIGTERM, SIGINT),
      timer_(io),
      drain_mode_(drain_mode),
      timeout_(drain_timeout),
      begins_(std::move(begins)) {
  wait();
}

void Shutdown::wait() {
  signals_.async_wait([this](error_code error, int /*signal*/) {
    if (!error) {
      on_signal();
    }
  });
}

void Shutdown::on_signal() {
  if (std::exchange(signalled_, true)) {
    log(LogLevel::kWarning, "Second signal received; stopping at once");
    forced_ = true;
    io_.stop();
    return;
  }
  wait();
  drain();
}

void Shutdown::drain() {
  if (streams_.draining()) {
    return;
  }
  log(LogLevel::kInfo,
      drain_mode_ == StreamRegistry::DrainMode::kFinish ? "Draining: running sentences finish"
                                                        : "Draining: streams are handed off",
      {{"most_seconds", timeout_.count()}});
  begins_();
  timer_.expires_after(to_duration(timeout_));
  timer_.async_wait([this](error_code error) {
    if (!error) {
      log(LogLevel::kWarning, "Drain timed out; stopping");
      io_.stop();
    }
  });
  streams_.drain(drain_mode_, [this] { wait_for_pending_requests(kLooks); });
}

void Shutdown::wait_for_pending_requests(int checks_left) {
  if (!streams_.has_pending_requests() || checks_left == 0) {
    io_.stop();
    return;
  }
  timer_.expires_after(kLookAgain);
  timer_.async_wait([this, checks_left](error_code error) {
    if (!error) {
      wait_for_pending_requests(checks_left - 1);
    }
  });
}

}  // namespace surtitle
