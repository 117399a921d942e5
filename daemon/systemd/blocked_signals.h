// Keeps the signals that end the daemon or make it read its files anew until there is somebody to
// hear them. A process without a handler dies of them, and as the first of its container never
// hears of them.
//
// Thread-safety: none; made by the main thread before it starts others, which hold them, too.
#pragma once

#include <csignal>

namespace surtitle {

class HeldSignals {
 public:
  HeldSignals() noexcept {
    sigemptyset(&held_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      sigaddset(&held_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  // Held on: what still waits would end the process while it ends.
  ~HeldSignals() = default;

  // One that ends the daemon waits.
  bool asked_to_end() const noexcept {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
  }

  // This thread hears them from now on; those that wait come at once.
  void release() noexcept { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace surtitle
