// Reports threads that stall: a step of a model that takes seconds, a network thread that waits, a
// journal whose disk hangs.
//
// A stall is reported once when it is noticed, with the step of the thread, and once when it is
// over. If the watchdog itself was delayed (the process was stopped, the machine slept), it checks
// again before it reports.
//
// Thread-safety: stalled_threads() from any thread; check() one thread at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/base/breadcrumb.h"
#include "daemon/base/clock.h"

namespace surtitle {

// A thread that stalls, or that has ended its turn again.
struct Stall {
  std::string thread;
  bool over = false;
  Seconds lasted{0};  // so far, or in all
  Breadcrumb::Seen doing;

  std::string message() const;  // one line
};

class Watchdog {
 public:
  struct Watched {
    std::string thread;
    const Breadcrumb* crumb;  // outlives this
    bool vital = true;        // without it the daemon is as good as dead
  };

  // `limit`: 0: no thread is ever late. `on_stall` is called in check().
  Watchdog(Clock::duration limit, std::vector<Watched> watched,
           std::function<void(const Stall&)> on_stall);

  bool on() const noexcept { return limit_ > Clock::duration::zero(); }
  // Between two calls of check().
  Clock::duration pause() const noexcept { return limit_ / 4; }
  void check(TimePoint now);

  // The threads that were stalled at the last check().
  struct StalledThreads {
    std::string threads;  // "a, b"; empty: none
    bool vital = false;   // one of them is
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
  mutable std::mutex mutex_;  // of all_
  std::vector<One> all_;
};

// Calls check() from a thread of its own, for as long as it exists.
class WatchdogThread {
 public:
  explicit WatchdogThread(Watchdog& watchdog);
  WatchdogThread(const WatchdogThread&) = delete;
  WatchdogThread& operator=(const WatchdogThread&) = delete;
  ~WatchdogThread();

 private:
  void run();

  Watchdog& watchdog_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace surtitle
