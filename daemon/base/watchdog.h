// Reports threads that stall.
//
// Examples are a model's step that takes seconds, a network thread that blocks, and a journal
// whose disk hangs. A stall is reported once when it is detected, with the thread's step, and once
// when it is over. If the watchdog itself was delayed (the process was stopped, the machine slept),
// it checks again before it reports.
//
// Thread-safety: stalled_threads() may be called from any thread, check() from one at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/base/breadcrumb.h"
#include "daemon/base/clock.h"
#include "model/util/mutex.h"

namespace surtitle {

// A stall of a thread, or its end.
struct Stall {
  std::string thread;
  bool over = false;
  Seconds lasted{0};  // so far, or in total if it is over
  Breadcrumb::Seen doing;

  std::string message() const;  // one line
};

class Watchdog {
 public:
  struct Watched {
    std::string thread;
    const Breadcrumb* crumb;  // outlives this
    bool vital = true;        // the daemon should be restarted if this thread stalls
  };

  // `limit`: the longest round that is no stall; 0 turns the watchdog off. check() calls `on_stall`
  // on its thread, without a lock of this object, so `on_stall` may call stalled_threads().
  Watchdog(Clock::duration limit, std::vector<Watched> watched,
           std::function<void(const Stall&)> on_stall);

  bool on() const noexcept { return limit_ > Clock::duration::zero(); }
  // The time between two calls of check().
  Clock::duration pause() const noexcept { return limit_ / 4; }
  void check(TimePoint now);

  // The threads that were stalled at the last check().
  struct StalledThreads {
    std::string threads;  // "a, b"; empty: none
    bool vital = false;   // whether one of them is vital
  };
  StalledThreads stalled_threads() const;

 private:
  struct One {
    Watched watched;
    std::optional<TimePoint> late_since;
  };

  const Clock::duration limit_;
  const std::function<void(const Stall&)> on_stall_;
  std::optional<TimePoint> checked_;
  mutable Mutex mutex_;
  std::vector<One> all_ GUARDED_BY(mutex_);
};

// Calls check() from a thread of its own during its lifetime.
class WatchdogThread {
 public:
  explicit WatchdogThread(Watchdog& watchdog);
  WatchdogThread(const WatchdogThread&) = delete;
  WatchdogThread& operator=(const WatchdogThread&) = delete;
  ~WatchdogThread();

 private:
  void run();

  Watchdog& watchdog_;
  Mutex mutex_;
  CondVar wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace surtitle
