// Blocks the signals that end or reload the daemon until their handlers are installed.
//
// A signal without a handler kills the process. If the process is the first of its container, the
// signal is lost instead.
//
// Thread-safety: none. The main thread constructs it before it starts other threads, which inherit
// the signal mask.
#pragma once

#include <csignal>

namespace surtitle {

class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigemptyset(&held_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      sigaddset(&held_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  // The signals stay blocked, because a pending one would kill the process during its exit.
  ~BlockedSignals() = default;

  // Returns true if a signal that ends the daemon (SIGTERM, SIGINT) is pending.
  bool asked_to_end() const noexcept {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
  }

  // Restores the signal mask of this thread. Pending signals are delivered at once.
  void release() noexcept { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace surtitle
