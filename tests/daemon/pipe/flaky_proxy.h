// A network between a client and a daemon that is cut: every connection to its port goes on to the
// daemon's, for as many bytes as its plan says. It runs on a thread of its own.
//
// Thread-safety: all may be called from any thread.
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
    kReset,   // both ends see it; what was on its way is lost
    kSilence  // nothing comes through any more, and nobody is told
  };
  struct Cut {
    std::size_t bytes = 0;  // that come through before, of both ways together
    Kind kind = Kind::kReset;
  };
  // Of the next connection; nothing: it is not cut. Called on the proxy's thread.
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
