// The service manager's end of NOTIFY_SOCKET.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace surtitle {

class NotifyListener {
 public:
  // `address`: a path, or "@NAME".
  explicit NotifyListener(std::string address) : address_(std::move(address)) {
    sockaddr_un own{};
    own.sun_family = AF_UNIX;
    std::copy(address_.begin(), address_.end(), own.sun_path);
    const bool abstract = address_.front() == '@';
    if (abstract) {
      own.sun_path[0] = '\0';
    }
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const std::size_t length =
        offsetof(sockaddr_un, sun_path) + address_.size() + (abstract ? 0 : 1);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&own), static_cast<socklen_t>(length)) !=
        0) {
      throw std::runtime_error("cannot bind " + address_);
    }
  }
  NotifyListener(const NotifyListener&) = delete;
  NotifyListener& operator=(const NotifyListener&) = delete;
  ~NotifyListener() { close(socket_); }

  // The variable for the environment of the daemon.
  std::string variable() const { return "NOTIFY_SOCKET=" + address_; }

  // Waits for the next message and returns it.
  std::string next() { return take(0); }
  // Returns a message that has arrived already, or "".
  std::string left() { return take(MSG_DONTWAIT); }

 private:
  std::string take(int flags) {
    std::array<char, 4096> bytes{};
    const ssize_t count = recv(socket_, bytes.data(), bytes.size(), flags);
    return {bytes.data(), count < 0 ? 0 : static_cast<std::size_t>(count)};
  }

  const std::string address_;
  int socket_ = -1;
};

}  // namespace surtitle
