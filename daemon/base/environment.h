// The seam to the operating system: clock, calendar, randomness and threads.
//
// Sockets and files are not part of it. The simulation (tests/simulation) replaces the environment
// and runs the whole daemon on one thread and its own clock.
//
// Thread-safety: an Environment may be used from any thread.
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

// Calendar time, UTC. It may be set forwards and back while the daemon runs.
using CalendarTime = std::chrono::system_clock::time_point;

inline std::int64_t milliseconds_since_1970(CalendarTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// Work in rounds, which an environment runs one after the other, never on the network thread.
//
// All three functions are called on the task's thread. `begin` may throw. `run_once` may throw only
// std::bad_alloc. It is then called again and must continue with the work that is not done yet. An
// exception of `end` is logged.
struct Task {
  static constexpr TimePoint kImmediately = TimePoint::min();
  static constexpr TimePoint kWhenNotified = TimePoint::max();

  std::function<void()> begin;  // called first, once
  // Runs one round. Returns the time of the next round, which Worker::wake() may bring forward.
  std::function<TimePoint()> run_once;
  std::function<void()> end;  // called last, once
};

// Runs the rounds of a task for an environment. Thread-safety: none; one thread.
class TaskRunner {
 public:
  // The pause after a round that ran out of memory.
  static constexpr std::chrono::milliseconds kRetryDelay{10};

  explicit TaskRunner(Task task) : task_(std::move(task)) {}

  void begin() { task_.begin(); }
  TimePoint run_once(const Environment& environment) noexcept;
  void end() noexcept;

  // Whether the last round ran out of memory.
  bool short_of_memory() const noexcept { return short_of_memory_; }

 private:
  const Task task_;
  bool short_of_memory_ = false;
  bool shortage_logged_ = false;
};

// A running task. The destructor waits for the current round, then ends the task.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  // Starts another round soon, after the current one if there is one. Thread-safety: may be called
  // from any thread.
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

  // Returns random bytes that are fit for secrets. Throws std::runtime_error if the system provides
  // none.
  virtual std::string random_bytes(std::size_t count) = 0;

  // Starts a task. Returns after `begin` has returned. If `begin` throws, the exception is passed
  // on and `end` is not called.
  virtual std::unique_ptr<Worker> start(Task task) = 0;
};

// The operating system's environment. It runs each task on a thread of its own.
Environment& system_environment();

}  // namespace surtitle
