// Reads a file descriptor from coroutines without making it non-blocking: a terminal's descriptor
// is one and the same for input, output and the shell, and regular files cannot be waited for.
//
// Thread-safety: stop() from any thread; the rest is the coroutine's own.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "daemon/pipe/pipe_source.h"

namespace surtitle {

class StandardInput : public PipeSource {
 public:
  explicit StandardInput(int descriptor);
  ~StandardInput() override;

  boost::asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) override;
  void stop() noexcept override;

 private:
  std::optional<std::string> read_blocking(std::optional<std::chrono::milliseconds> longest) const;

  const int descriptor_;
  const int stop_;  // an eventfd
  boost::asio::thread_pool thread_{1};
};

}  // namespace surtitle
