// What a thread is doing, for another one that wonders.
//
// The thread says what it begins and when it has come around, that is, ended one turn of its work;
// a few relaxed stores each. Whoever looks may see the end of one thing with the beginning of the
// next; that is good enough to name what takes long.
//
// Thread-safety: look() from any thread; all else the thread's own.
#pragma once

#include <atomic>
#include <cstdint>

#include "daemon/base/clock.h"

namespace surtitle {

class Breadcrumb {
 public:
  struct Seen {
    bool idle = false;  // it waits for work, as long as that may take
    TimePoint came_around;
    const char* what = nullptr;  // a literal; nullptr: nothing that has a name
    std::int64_t number = 0;     // how many, or which one
    TimePoint since;
    std::int64_t open = 0;     // sentences in a translator
    std::int64_t waiting = 0;  // sentences in line
  };

  void begins(const char* what, std::int64_t number, TimePoint now) {
    what_.store(what, std::memory_order_relaxed);
    number_.store(number, std::memory_order_relaxed);
    since_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void sentences(std::size_t open, std::size_t waiting) {
    open_.store(static_cast<std::int64_t>(open), std::memory_order_relaxed);
    waiting_.store(static_cast<std::int64_t>(waiting), std::memory_order_relaxed);
  }
  // A turn is over; `idle`: the next begins when there is work.
  void comes_around(bool idle, TimePoint now) {
    came_around_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    idle_.store(idle, std::memory_order_release);
  }

  Seen look() const {
    Seen seen;
    seen.idle = idle_.load(std::memory_order_acquire);
    seen.came_around = at(came_around_);
    seen.what = what_.load(std::memory_order_relaxed);
    seen.number = number_.load(std::memory_order_relaxed);
    seen.since = at(since_);
    seen.open = open_.load(std::memory_order_relaxed);
    seen.waiting = waiting_.load(std::memory_order_relaxed);
    return seen;
  }

  // What is done while this exists; what was done before goes on afterwards.
  class Step {
   public:
    Step(Breadcrumb& crumb, const char* what, std::int64_t number, TimePoint now)
        : crumb_(crumb),
          what_(crumb.what_.load(std::memory_order_relaxed)),
          number_(crumb.number_.load(std::memory_order_relaxed)),
          since_(at(crumb.since_)) {
      crumb.begins(what, number, now);
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { crumb_.begins(what_, number_, since_); }

   private:
    Breadcrumb& crumb_;
    const char* const what_;
    const std::int64_t number_;
    const TimePoint since_;
  };

 private:
  static TimePoint at(const std::atomic<std::int64_t>& time) {
    return TimePoint(Clock::duration(time.load(std::memory_order_relaxed)));
  }

  std::atomic<bool> idle_ = true;
  std::atomic<std::int64_t> came_around_ = 0;
  std::atomic<const char*> what_ = nullptr;
  std::atomic<std::int64_t> number_ = 0;
  std::atomic<std::int64_t> since_ = 0;
  std::atomic<std::int64_t> open_ = 0;
  std::atomic<std::int64_t> waiting_ = 0;
};

}  // namespace surtitle
