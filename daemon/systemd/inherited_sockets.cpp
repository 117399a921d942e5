#include "daemon/systemd/inherited_sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "daemon/systemd/env_var.h"

namespace surtitle {
namespace {

constexpr int kFirst = 3;  // descriptors 0 to 2 are standard input, output and error
constexpr std::int64_t kMaxSockets = 64;

std::vector<std::string> names(int count) {
  std::vector<std::string> names;
  std::istringstream list(env_var("LISTEN_FDNAMES").value_or(""));
  for (std::string name; std::getline(list, name, ':');) {
    names.push_back(name);
  }
  for (auto i = static_cast<int>(names.size()); i < count; ++i) {
    names.push_back("socket " + std::to_string(kFirst + i));
  }
  return names;
}

int option(int descriptor, int which) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, which, &value, &size) == 0 ? value : -1;
}

// Returns the IP address of a listening TCP socket, or nullopt if the descriptor is not one.
std::optional<std::string> listening_address(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (option(descriptor, SO_TYPE) != SOCK_STREAM || option(descriptor, SO_ACCEPTCONN) != 1 ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return std::nullopt;
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* address = nullptr;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (storage.ss_family == AF_INET) {
    std::memcpy(&four, &storage, sizeof four);
    address = &four.sin_addr;
  } else if (storage.ss_family == AF_INET6) {
    std::memcpy(&six, &storage, sizeof six);
    address = &six.sin6_addr;
  } else {
    return std::nullopt;
  }
  inet_ntop(storage.ss_family, address, text.data(), text.size());
  return text.data();
}

}  // namespace

std::vector<InheritedSocket> inherited_sockets() {
  const std::int64_t process = env_var_number("LISTEN_PID").value_or(0);
  const std::int64_t count = env_var_number("LISTEN_FDS").value_or(0);
  if (process != getpid() || count == 0) {
    return {};
  }
  if (count < 0 || count > kMaxSockets) {
    throw std::runtime_error("LISTEN_FDS must be from 1 to " + std::to_string(kMaxSockets) +
                             ", not " + std::to_string(count));
  }
  const std::vector<std::string> named = names(static_cast<int>(count));
  std::vector<InheritedSocket> sockets;
  for (int i = 0; i < count; ++i) {
    const int descriptor = kFirst + i;
    const std::string& name = named[static_cast<std::size_t>(i)];
    const std::optional<std::string> address = listening_address(descriptor);
    if (!address) {
      throw std::runtime_error("inherited socket '" + name + "' (descriptor " +
                               std::to_string(descriptor) + ") must be a listening TCP socket");
    }
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    sockets.push_back({descriptor, name, *address});
  }
  for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) {
    unsetenv(variable);
  }
  return sockets;
}

}  // namespace surtitle
