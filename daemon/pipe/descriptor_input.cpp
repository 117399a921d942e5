#include "daemon/pipe/descriptor_input.h"

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
#include <utility>

namespace surtitle {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadBytes = 4096;

[[noreturn]] void fail(const std::string& name) {
  throw std::runtime_error("cannot read " + name + ": " + std::strerror(errno));
}

}  // namespace

DescriptorInput::DescriptorInput(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) {
    fail(name_);
  }
}

DescriptorInput::~DescriptorInput() {
  stop();
  thread_.join();
  close(stop_);
}

asio::awaitable<std::optional<std::string>> DescriptorInput::read(
    std::optional<std::chrono::milliseconds> longest) {
  std::optional<std::string> bytes = co_await asio::co_spawn(
      thread_,
      [this, longest]() -> asio::awaitable<std::optional<std::string>> {
        co_return read_blocking(longest);
      },
      asio::use_awaitable);
  co_return bytes;
}

std::optional<std::string> DescriptorInput::read_blocking(
    std::optional<std::chrono::milliseconds> longest) const {
  const int timeout = longest ? static_cast<int>(longest->count()) : -1;
  std::string bytes(kReadBytes, '\0');
  while (true) {
    std::array<pollfd, 2> ready{{{descriptor_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    const int count = poll(ready.data(), ready.size(), timeout);
    if (count < 0 && errno != EINTR) {
      fail(name_);
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
      fail(name_);
    }
  }
}

void DescriptorInput::stop() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
}

}  // namespace surtitle
