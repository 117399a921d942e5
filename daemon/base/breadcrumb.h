// Lock-free progress marker: what a thread is doing, so that the watchdog can report it.
//
// The thread marks the beginning of each step and the end of each round of its work, with a few
// relaxed stores. A reader may see parts of two steps. This suffices to name a step that takes
// long.
//
// Thread-safety: look() may be called from any thread, everything else only from the marked thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "daemon/base/clock.h"

namespace surtitle {

class Breadcrumb {
 public:
  struct Seen {
    bool idle = false;  // the thread waits for work and is not late
    TimePoint round_ended;
    const char* step = nullptr;    // a literal; nullptr: no step has begun
    std::int64_t step_number = 0;  // a count or an index, depending on the step
    TimePoint step_began;
    std::int64_t open = 0;     // sentences in a translator
    std::int64_t waiting = 0;  // sentences that wait for a translator
  };

  void begin_step(const char* step, std::int64_t number, TimePoint now) {
    step_.store(step, std::memory_order_relaxed);
    step_number_.store(number, std::memory_order_relaxed);
    step_began_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void set_sentences(std::size_t open, std::size_t waiting) {
    open_.store(static_cast<std::int64_t>(open), std::memory_order_relaxed);
    waiting_.store(static_cast<std::int64_t>(waiting), std::memory_order_relaxed);
  }
  // Marks the end of a round. `idle`: the next round begins when there is work.
  void end_round(bool idle, TimePoint now) {
    round_ended_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    idle_.store(idle, std::memory_order_release);
  }

  Seen look() const {
    Seen seen;
    seen.idle = idle_.load(std::memory_order_acquire);
    seen.round_ended = at(round_ended_);
    seen.step = step_.load(std::memory_order_relaxed);
    seen.step_number = step_number_.load(std::memory_order_relaxed);
    seen.step_began = at(step_began_);
    seen.open = open_.load(std::memory_order_relaxed);
    seen.waiting = waiting_.load(std::memory_order_relaxed);
    return seen;
  }

  // Marks a step for its lifetime. The destructor restores the step before.
  class Step {
   public:
    Step(Breadcrumb& crumb, const char* step, std::int64_t number, TimePoint now)
        : crumb_(crumb),
          step_(crumb.step_.load(std::memory_order_relaxed)),
          step_number_(crumb.step_number_.load(std::memory_order_relaxed)),
          step_began_(at(crumb.step_began_)) {
      crumb.begin_step(step, number, now);
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { crumb_.begin_step(step_, step_number_, step_began_); }

   private:
    Breadcrumb& crumb_;
    const char* const step_;
    const std::int64_t step_number_;
    const TimePoint step_began_;
  };

 private:
  static TimePoint at(const std::atomic<std::int64_t>& time) {
    return TimePoint(Clock::duration(time.load(std::memory_order_relaxed)));
  }

  std::atomic<bool> idle_ = true;
  std::atomic<std::int64_t> round_ended_ = 0;
  std::atomic<const char*> step_ = nullptr;
  std::atomic<std::int64_t> step_number_ = 0;
  std::atomic<std::int64_t> step_began_ = 0;
  std::atomic<std::int64_t> open_ = 0;
  std::atomic<std::int64_t> waiting_ = 0;
};

}  // namespace surtitle
