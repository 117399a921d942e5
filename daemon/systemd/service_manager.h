// Notifies the service manager (systemd) of the daemon's state, with the protocol of sd_notify(3).
//
// Each notification is one datagram of lines NAME=VALUE to the socket in NOTIFY_SOCKET. Without
// that variable, all notifications do nothing. A datagram that cannot be sent is dropped.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>

#include "daemon/base/clock.h"

namespace surtitle {

class ServiceManager {
 public:
  // `address`: an absolute path, or "@NAME" in the abstract namespace; "": no service manager.
  // `watchdog`: the longest time between two calls of alive() once the daemon is ready. Throws
  // std::runtime_error with one line if the address is invalid or cannot be reached.
  explicit ServiceManager(const std::string& address, std::optional<Seconds> watchdog = {});
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;
  ~ServiceManager();

  std::optional<Seconds> watchdog() const noexcept { return watchdog_; }

  // The current step of the start, such as "loading model de-en-gma". Extends the time that the
  // service manager allows for the start.
  void starting(const std::string& what) const;
  void ready(const std::string& status) const;
  // A reload has begun. The next ready() ends it.
  void reloading() const;
  // `longest`: the time that draining may take. Extends the time that the service manager allows
  // for the stop.
  void stopping(const std::string& status, Seconds longest) const;
  // Resets the watchdog of the service manager.
  void alive() const;
  // The text that `systemctl status` prints.
  void status(const std::string& status) const;

 private:
  void notify(const std::string& lines) const noexcept;

  int socket_ = -1;
  const std::optional<Seconds> watchdog_;
};

// Settings of the service manager for this process.
struct ServiceEnvironment {
  std::string address;              // NOTIFY_SOCKET, or "" if it is not set
  std::optional<Seconds> watchdog;  // WATCHDOG_USEC, unless WATCHDOG_PID names another process
};
// Reads the environment. Throws std::runtime_error with one line if a variable is invalid.
ServiceEnvironment service_environment();

}  // namespace surtitle
