// Interface of the input of a PipeRun, a recogniser's output as bytes.
//
// Thread-safety: none, unless an implementation states more.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace surtitle {

class PipeInput {
 public:
  PipeInput() = default;
  PipeInput(const PipeInput&) = delete;
  PipeInput& operator=(const PipeInput&) = delete;
  virtual ~PipeInput() = default;

  // Waits for the next bytes and returns them: at least one, or an empty text at the end and after
  // stop(). Returns nullopt if none arrive within `longest`. Throws std::runtime_error if reading
  // fails.
  virtual boost::asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) = 0;

  // After the end: waits until the input can continue, and returns true; or returns false if it
  // cannot. The bytes that follow belong to a new run of the recogniser.
  virtual boost::asio::awaitable<bool> reopen() { co_return false; }

  // Returns the time of words of the last bytes on the source's own clock, in seconds. `given`:
  // their time by the recogniser.
  virtual std::optional<double> time_of(std::optional<double> given) { return given; }

  // Ends the input at the user's request. Words that are already recognised may still be read.
  virtual void finish() noexcept { stop(); }

  // Ends the input at once. A pending read() or reopen() returns.
  virtual void stop() noexcept = 0;
};

}  // namespace surtitle
