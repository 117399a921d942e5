// Where `surtitle pipe` has a recogniser's output from.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace surtitle {

class PipeSource {
 public:
  PipeSource() = default;
  PipeSource(const PipeSource&) = delete;
  PipeSource& operator=(const PipeSource&) = delete;
  virtual ~PipeSource() = default;

  // The bytes that come next, as soon as there is one; none at the end and after stop(). Nothing
  // where for so long none came. Throws std::runtime_error where it cannot be read any more.
  virtual boost::asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) = 0;

  // After the end: whether the bytes go on after all, of a recogniser that begins afresh. Done when
  // they may.
  virtual boost::asio::awaitable<bool> reopen() { co_return false; }

  // As if the input had ended.
  virtual void stop() noexcept = 0;
};

}  // namespace surtitle
