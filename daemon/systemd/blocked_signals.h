// Blocks the signals that end or reload the daemon until its handlers are installed. Without a
// handler, a signal kills the process, or is lost if the process is the first of its container.
//
// Thread-safety: none; made by the main thread before it starts others, which inherit the mask.
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
  // The signals stay blocked: a pending one would kill the process during its exit.
  ~BlockedSignals() = default;

  // Whether a signal that ends the daemon is pending.
  bool asked_to_end() const noexcept {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
  }

  // Unblocks the signals for this thread; pending ones are delivered at once.
  void release() noexcept { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace surtitle
