// One thread, one clock and one seed for a whole run. Waiting for time, for another thread or for a
// network is an event here, which runs when its time has come. The same seed makes the same run.
//
// The clock stops while an event runs. Events of the same time run in the order in which they were
// scheduled.
//
// Thread-safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/environment.h"

namespace surtitle {

// The bounds of a random duration.
struct Span {
  Clock::duration least{0};
  Clock::duration most{0};
};

// A random generator. Each part has its own, so that no part disturbs another.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : random_(seed) {}

  bool chance(double probability) { return uniform() < probability; }
  int between(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  // Returns a duration within the span, uniform in its logarithm.
  Clock::duration duration(Span span);
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
  }

 private:
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1.0p-53; }

  std::mt19937_64 random_;
};

class Simulation : public Environment {
 public:
  explicit Simulation(std::uint64_t seed) : seed_(seed), secrets_(make_die()) {}

  // Returns another generator at each call.
  Rng make_die() { return Rng(seed_ * 0x9e3779b97f4a7c15U + ++dice_); }

  void at(TimePoint time, std::function<void()> event);
  void after(Clock::duration delay, std::function<void()> event) {
    at(now_ + delay, std::move(event));
  }
  // Runs the next event. Returns false if there is none.
  bool step();
  void run_for(Clock::duration time);

  // Adds an event to the trace, whose hash serves to compare two runs.
  void trace(std::string_view what);
  std::uint64_t trace_hash() const noexcept { return hash_; }
  // Prints what is done to the run. It is not part of the trace.
  void remark(std::string_view what) const;
  // Prints traces and remarks from now on.
  void print_traces() noexcept { printing_ = true; }

  // Work waits this long for its round from now on.
  void pace_work(Span span) noexcept { work_pace_ = span; }
  // Whether work is notified of its end. It is not if its process is killed.
  void tell_work_of_its_end(bool tell) noexcept { tell_of_end_ = tell; }
  void set_calendar(Clock::duration forwards) noexcept {
    calendar_ += forwards;
    calendar_was_set_ = true;
  }
  bool calendar_was_set() const noexcept { return calendar_was_set_; }

  // --- Environment ---
  TimePoint now() const override { return now_; }
  CalendarTime calendar_time() const override;
  std::string random_bytes(std::size_t count) override;
  std::unique_ptr<Worker> start(Task work) override;

 private:
  friend class SimulatedWorker;

  std::string line(std::string_view what) const;

  const std::uint64_t seed_;
  std::uint64_t dice_ = 0;
  Rng secrets_;
  TimePoint now_ = TimePoint() + std::chrono::hours(24);
  Clock::duration calendar_{0};
  bool calendar_was_set_ = false;
  std::uint64_t asked_ = 0;
  std::map<std::pair<TimePoint, std::uint64_t>, std::function<void()>> events_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;  // FNV-1a
  bool printing_ = false;
  Span work_pace_;
  bool tell_of_end_ = true;
};

// Delivers events in order, each after a random time.
class Lane {
 public:
  Lane(Simulation& simulation, Span pace)
      : simulation_(simulation), rng_(simulation.make_die()), pace_(pace) {}

  void send(std::function<void()> event) {
    last_ = std::max(last_, simulation_.now() + rng_.duration(pace_));
    simulation_.at(last_, std::move(event));
  }

 private:
  Simulation& simulation_;
  Rng rng_;
  const Span pace_;
  TimePoint last_;
};

}  // namespace surtitle
