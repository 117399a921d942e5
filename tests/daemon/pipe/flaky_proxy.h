// A proxy between clients and a daemon that cuts connections as planned. It forwards each
// connection to the daemon's port until its cut, and runs on a thread of its own.
//
// Thread-safety: full.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace surtitle {

class FlakyProxy {
 public:
  enum class Kind {
    kReset,   // both ends are reset; bytes on their way are lost
    kSilence  // nothing is forwarded any more, and no end is notified
  };
  struct Cut {
    std::size_t bytes = 0;  // forwarded before it, in both directions together
    Kind kind = Kind::kReset;
  };
  // Returns the cut of the next connection, or nullopt for none. Called on the proxy's thread.
  using Plan = std::function<std::optional<Cut>()>;

  FlakyProxy(int daemon_port, Plan plan);
  FlakyProxy(const FlakyProxy&) = delete;
  FlakyProxy& operator=(const FlakyProxy&) = delete;
  ~FlakyProxy();

  int port() const noexcept { return port_; }
  int cuts() const noexcept { return cuts_; }  // so far

 private:
  struct Network;
  std::atomic<int> cuts_ = 0;
  std::unique_ptr<Network> network_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace surtitle
