#include "daemon/systemd/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include "daemon/systemd/env_var.h"

namespace surtitle {
namespace {

// The longest time between two calls of starting(): a model is loaded, and its steps are captured
// on its device.
constexpr Seconds kOneStepOfTheStart{600};
constexpr Seconds kToEnd{10};  // after draining, to stop the models and to close the journal

std::string microseconds(Seconds seconds) {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(seconds).count());
}

// systemd compares this time with the time at which it requested the reload.
std::string monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return microseconds(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace

ServiceManager::ServiceManager(const std::string& address, std::optional<Seconds> watchdog)
    : watchdog_(watchdog) {
  if (address.empty()) {
    return;
  }
  sockaddr_un peer{};
  peer.sun_family = AF_UNIX;
  const bool abstract = address.front() == '@';
  // A path ends with a null character. An abstract name has none; its length is passed to connect.
  const std::size_t most = sizeof peer.sun_path - (abstract ? 0 : 1);
  if ((!abstract && address.front() != '/') || address.size() < 2 || address.size() > most) {
    throw std::runtime_error("NOTIFY_SOCKET must be an absolute path or @NAME of at most " +
                             std::to_string(most) + " characters, not '" + address + "'");
  }
  std::copy(address.begin(), address.end(), peer.sun_path);
  if (abstract) {
    peer.sun_path[0] = '\0';
  }
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size() + (abstract ? 0 : 1));
  if (socket_ < 0 || connect(socket_, reinterpret_cast<const sockaddr*>(&peer), length) != 0) {
    const std::string reason = std::strerror(errno);
    if (socket_ >= 0) {
      close(socket_);
    }
    throw std::runtime_error("cannot reach the service manager at NOTIFY_SOCKET '" + address +
                             "': " + reason);
  }
}

ServiceManager::~ServiceManager() {
  if (socket_ >= 0) {
    close(socket_);
  }
}

void ServiceManager::starting(const std::string& what) const {
  notify("STATUS=" + what + "\nEXTEND_TIMEOUT_USEC=" + microseconds(kOneStepOfTheStart));
}

void ServiceManager::ready(const std::string& status) const { notify("READY=1\nSTATUS=" + status); }

void ServiceManager::reloading() const {
  notify("RELOADING=1\nMONOTONIC_USEC=" + monotonic_microseconds() +
         "\nSTATUS=reloading tokens, keys and certificates");
}

void ServiceManager::stopping(const std::string& status, Seconds longest) const {
  notify("STOPPING=1\nSTATUS=" + status +
         "\nEXTEND_TIMEOUT_USEC=" + microseconds(longest + kToEnd));
}

void ServiceManager::alive() const { notify("WATCHDOG=1"); }

void ServiceManager::status(const std::string& status) const { notify("STATUS=" + status); }

void ServiceManager::notify(const std::string& lines) const noexcept {
  if (socket_ >= 0) {
    // If the service manager is too busy to read, the network thread must not wait for it.
    send(socket_, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

ServiceEnvironment service_environment() {
  ServiceEnvironment found{env_var("NOTIFY_SOCKET").value_or(""), {}};
  const std::optional<std::int64_t> period = env_var_number("WATCHDOG_USEC");
  const auto process = static_cast<std::int64_t>(getpid());
  if (period && env_var_number("WATCHDOG_PID").value_or(process) == process) {
    if (*period <= 0) {
      throw std::runtime_error("WATCHDOG_USEC must be more than 0, not " + std::to_string(*period));
    }
    found.watchdog = std::chrono::microseconds(*period);
  }
  return found;
}

}  // namespace surtitle
