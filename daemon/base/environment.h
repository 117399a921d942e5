// What the daemon takes from the machine beside sockets and files: time, chance and threads. A test
// puts another one in its place, and all of the daemon runs on one thread and on the test's clock
// (tests/simulation).
//
// Thread-safety: full.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "daemon/base/clock.h"

namespace surtitle {

class Environment;

// What the calendar says, UTC. It may be set, forwards and back, while the daemon runs.
using CalendarTime = std::chrono::system_clock::time_point;

inline std::int64_t milliseconds_since_1970(CalendarTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// What is done aside from the network thread, in rounds, one at a time. `begin` may throw; `round`
// and `end` std::bad_alloc alone: a round is called again then, and goes on with what it has not
// done yet.
struct Work {
  static constexpr TimePoint kAtOnce = TimePoint::min();
  static constexpr TimePoint kOnceWoken = TimePoint::max();

  std::function<void()> begin;  // first, once
  // When it is called and says when it wants to be called again, if it is not woken before.
  std::function<TimePoint()> round;
  std::function<void()> end;  // last, once
};

// Calls work as an environment does; by one thread.
class Rounds {
 public:
  // After which a round is called again that had too little memory.
  static constexpr std::chrono::milliseconds kTryAgain{10};

  explicit Rounds(Work work) : work_(std::move(work)) {}

  void begin() { work_.begin(); }
  TimePoint round(const Environment& environment) noexcept;
  void end() noexcept;

  bool short_of_memory() const noexcept { return short_of_memory_; }  // the last round

 private:
  const Work work_;
  bool short_of_memory_ = false;
  bool told_ = false;  // to the log
};

// Work that goes on for as long as this exists. The end of it lets the running round end.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  // Another round begins after this, soon.
  virtual void wake() = 0;
};

class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  virtual ~Environment() = default;

  virtual TimePoint now() const = 0;
  virtual CalendarTime calendar_time() const = 0;

  // That nobody can guess. Throws std::runtime_error where the system has none.
  virtual std::string random_bytes(std::size_t count) = 0;

  // Returns once `begin` has. Throws what that throws; `end` is not called then.
  virtual std::unique_ptr<Worker> start(Work work) = 0;
};

// The one that there is. Work has a thread each.
Environment& machine();

}  // namespace surtitle
