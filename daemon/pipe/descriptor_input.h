// Reads a file descriptor from coroutines without making it non-blocking.
//
// A terminal's descriptor cannot be non-blocking, because output and the shell share it. Regular
// files cannot be waited for. So a thread of its own makes blocking calls.
//
// Thread-safety: stop() may be called from any thread, all else from the coroutine's thread only.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <string>

#include "daemon/pipe/pipe_input.h"

namespace surtitle {

class DescriptorInput : public PipeInput {
 public:
  // `name`: of the input, for errors.
  DescriptorInput(int descriptor, std::string name);
  ~DescriptorInput() override;

  boost::asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) override;
  void stop() noexcept override;

 private:
  std::optional<std::string> read_blocking(std::optional<std::chrono::milliseconds> longest) const;

  const int descriptor_;
  const std::string name_;
  const int stop_;  // an eventfd
  boost::asio::thread_pool thread_{1};
};

}  // namespace surtitle
