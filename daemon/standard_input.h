// Reads a file descriptor from coroutines without making it non-blocking: a terminal's descriptor
// is one and the same for input, output and the shell, and regular files cannot be waited for.
//
// Thread-safety: stop() from any thread; the rest is the coroutine's own.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <string>

namespace surtitle {

class StandardInput {
 public:
  explicit StandardInput(int descriptor);
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput();

  // The bytes that come next, as soon as there is one; none at the end and after stop(). Throws
  // std::runtime_error where the input cannot be read.
  boost::asio::awaitable<std::string> read();

  // As if the input had ended.
  void stop() noexcept;

 private:
  std::string read_blocking() const;

  const int descriptor_;
  const int stop_;  // an eventfd
  boost::asio::thread_pool thread_{1};
};

}  // namespace surtitle
