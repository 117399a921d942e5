// Tells the service manager that started the daemon (systemd) how it is, as sd_notify(3) has it:
// one datagram of lines NAME=VALUE to the socket that NOTIFY_SOCKET names. Where nobody listens,
// nothing is said, and a message that does not arrive hurts nobody.
//
// Thread-safety: full.
#pragma once

#include <optional>
#include <string>

#include "daemon/base/clock.h"

namespace surtitle {

class ServiceManager {
 public:
  // `address`: a path, or "@NAME" in the abstract name space; "": nobody listens. `watchdog`: how
  // long the daemon may be silent once it is ready. Throws std::runtime_error, one line.
  explicit ServiceManager(const std::string& address, std::optional<Seconds> watchdog = {});
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;
  ~ServiceManager();

  std::optional<Seconds> watchdog() const noexcept { return watchdog_; }

  // The start goes on with `what`: "loading model de-en-gma". It may take a while.
  void starting(const std::string& what) const;
  void ready(const std::string& status) const;
  // Files are read anew; ready() ends it.
  void reloading() const;
  // The end may take so long.
  void stopping(const std::string& status, Seconds longest) const;
  void alive() const;
  // In words, for whoever asks the service manager.
  void status(const std::string& status) const;

 private:
  void notify(const std::string& lines) const noexcept;

  int socket_ = -1;
  const std::optional<Seconds> watchdog_;
};

// What NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID of the environment say to this process. Throws
// std::runtime_error, one line.
struct ServiceEnvironment {
  std::string address;
  std::optional<Seconds> watchdog;
};
ServiceEnvironment service_environment();

}  // namespace surtitle
