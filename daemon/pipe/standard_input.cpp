#include "daemon/pipe/standard_input.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace surtitle {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadBytes = 4096;

[[noreturn]] void fail() {
  throw std::runtime_error(std::string("cannot read standard input: ") + std::strerror(errno));
}

}  // namespace

StandardInput::StandardInput(int descriptor)
    : descriptor_(descriptor), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) {
    fail();
  }
}

StandardInput::~StandardInput() {
  stop();
  thread_.join();
  close(stop_);
}

asio::awaitable<std::optional<std::string>> StandardInput::read(
    std::optional<std::chrono::milliseconds> longest) {
  std::optional<std::string> bytes = co_await asio::co_spawn(
      thread_,
      [this, longest]() -> asio::awaitable<std::optional<std::string>> {
        co_return read_blocking(longest);
      },
      asio::use_awaitable);
  co_return bytes;
}

std::optional<std::string> StandardInput::read_blocking(
    std::optional<std::chrono::milliseconds> longest) const {
  const int timeout = longest ? static_cast<int>(longest->count()) : -1;
  std::string bytes(kReadBytes, '\0');
  while (true) {
    std::array<pollfd, 2> ready{{{descriptor_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    const int count = poll(ready.data(), ready.size(), timeout);
    if (count < 0 && errno != EINTR) {
      fail();
    }
    if (count < 0) {
      continue;
    }
    if (count == 0) {
      return std::nullopt;
    }
    if (ready[1].revents != 0) {
      return std::string();
    }
    const ssize_t length = ::read(descriptor_, bytes.data(), bytes.size());
    if (length >= 0) {
      bytes.resize(static_cast<std::size_t>(length));
      return bytes;
    }
    if (errno != EINTR && errno != EAGAIN) {
      fail();
    }
  }
}

void StandardInput::stop() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
}

}  // namespace surtitle
