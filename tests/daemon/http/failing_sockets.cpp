#include "tests/daemon/http/failing_sockets.h"

#include <dlfcn.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <optional>

namespace surtitle {
namespace {

struct Plan {
  SocketFault fault = SocketFault::kWriteFails;
  int left = 0;  // operations before the one that fails
  std::optional<int> socket;
  bool accepts = false;  // the next accepted connection is `socket`
  bool failed = false;
};

std::mutex plan_mutex;
Plan plan;  // guarded by plan_mutex; global, because the system's functions have no context
thread_local bool watched = false;

template <class Function>
Function* system_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_write(SocketFault fault) {
  return fault != SocketFault::kReadFails && fault != SocketFault::kReadGivesOneByte;
}

// Counts an operation that does not block. Returns its fault, or nullopt if it does not fail.
std::optional<SocketFault> next(int socket, bool writes) {
  const std::lock_guard lock(plan_mutex);
  if (!watched || plan.socket != socket || plan.failed || is_write(plan.fault) != writes ||
      plan.left-- > 0) {
    return std::nullopt;
  }
  plan.failed = true;
  return plan.fault;
}

// Whether a read would return at once. A read that blocks is not counted.
bool has_come(int socket) {
  char byte = 0;
  static auto* const real = system_function<decltype(::recv)>("recv");
  return watched && real(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

ssize_t reset() {
  errno = ECONNRESET;
  return -1;
}

// Returns the message with the first byte of its first buffer that is not empty.
msghdr first_byte(const msghdr& message, iovec& byte) {
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
    if (message.msg_iov[i].iov_len > 0) {
      byte = {message.msg_iov[i].iov_base, 1};
      break;
    }
  }
  msghdr shorter = message;
  shorter.msg_iov = &byte;
  shorter.msg_iovlen = 1;
  return shorter;
}

}  // namespace

std::string name(SocketFault fault) {
  constexpr std::array<const char*, 5> kNames{"WriteFails", "WriteIsSentAndFails", "ReadFails",
                                              "WriteTakesOneByte", "ReadGivesOneByte"};
  return kNames.at(static_cast<std::size_t>(fault));
}

void watch_sockets() { watched = true; }

void fail_socket(SocketFault fault, int n) {
  const std::lock_guard lock(plan_mutex);
  plan = {fault, n, std::nullopt, /*accepts=*/true, /*failed=*/false};
}

bool socket_has_failed() {
  const std::lock_guard lock(plan_mutex);
  plan.accepts = false;
  plan.socket.reset();
  return plan.failed;
}

}  // namespace surtitle

extern "C" {

int accept(int listening, sockaddr* address, socklen_t* length) {
  using namespace surtitle;
  static auto* const real = system_function<decltype(::accept)>("accept");
  const int socket = real(listening, address, length);
  const std::lock_guard lock(plan_mutex);
  if (watched && socket >= 0) {
    if (plan.accepts) {
      plan.socket = socket;
    } else if (plan.socket == socket) {
      plan.socket.reset();  // it was closed, and its number is reused
    }
    plan.accepts = false;
  }
  return socket;
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  using namespace surtitle;
  static auto* const real = system_function<decltype(::sendmsg)>("sendmsg");
  const std::optional<SocketFault> fault = next(socket, /*writes=*/true);
  if (fault == SocketFault::kWriteTakesOneByte) {
    iovec byte{};
    const msghdr shorter = first_byte(*message, byte);
    return real(socket, &shorter, flags);
  }
  if (fault == SocketFault::kWriteIsSentAndFails) {
    real(socket, message, flags);
  }
  return fault ? reset() : real(socket, message, flags);
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  using namespace surtitle;
  static auto* const real = system_function<decltype(::recvmsg)>("recvmsg");
  const auto fault =
      has_come(socket) ? next(socket, /*writes=*/false) : std::optional<SocketFault>();
  if (fault == SocketFault::kReadGivesOneByte) {
    iovec byte{};
    msghdr shorter = first_byte(*message, byte);
    return real(socket, &shorter, flags);
  }
  return fault ? reset() : real(socket, message, flags);
}

ssize_t send(int socket, const void* bytes, size_t size, int flags) {
  iovec all{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &all;
  message.msg_iovlen = 1;
  return sendmsg(socket, &message, flags);
}

ssize_t recv(int socket, void* bytes, size_t size, int flags) {
  iovec all{bytes, size};
  msghdr message{};
  message.msg_iov = &all;
  message.msg_iovlen = 1;
  return recvmsg(socket, &message, flags);
}

}  // extern "C"
