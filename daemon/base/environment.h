// The seam to the operating system, beside sockets and files: clocks, randomness and threads. A
// test replaces it, and the whole daemon runs on one thread and on the test's clock
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

// A task that runs beside the network thread, in rounds, one at a time. `begin` may throw.
// `run_once` and `end` may throw std::bad_alloc alone: then the round is called again, and
// continues with what is not done yet.
struct Task {
  static constexpr TimePoint kImmediately = TimePoint::min();
  static constexpr TimePoint kWhenNotified = TimePoint::max();

  std::function<void()> begin;  // first, once
  // Runs one round. Returns when to call it again if it is not woken before.
  std::function<TimePoint()> run_once;
  std::function<void()> end;  // last, once
};

// Runs a task as an environment does; used by one thread.
class TaskRunner {
 public:
  // The pause before a round that ran out of memory is called again.
  static constexpr std::chrono::milliseconds kRetryDelay{10};

  explicit TaskRunner(Task task) : task_(std::move(task)) {}

  void begin() { task_.begin(); }
  TimePoint run_once(const Environment& environment) noexcept;
  void end() noexcept;

  bool short_of_memory() const noexcept { return short_of_memory_; }  // the last round

 private:
  const Task task_;
  bool short_of_memory_ = false;
  bool shortage_logged_ = false;
};

// A task that runs as long as this exists. The destructor waits for the round that runs.
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
  virtual std::unique_ptr<Worker> start(Task task) = 0;
};

// The environment of the operating system. Each task has a thread.
Environment& system_environment();

}  // namespace surtitle
