// One thread, one clock, one random number generator: whatever waits for time, for another thread
// or for a network is an event here, and happens when its time has come. The same seed makes the
// same run.
//
// The clock stands still while an event runs. Two events of the same time happen in the order in
// which they were asked for.
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

// A duration is drawn between these two.
struct Span {
  Clock::duration least{0};
  Clock::duration most{0};
};

// A generator of its own for each part, so that what one of them does changes nothing for the
// others.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : random_(seed) {}

  bool chance(double probability) { return uniform() < probability; }
  int between(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  // Short ones are as likely as long ones, by their logarithms.
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

  // Another one at each call.
  Rng make_die() { return Rng(seed_ * 0x9e3779b97f4a7c15U + ++dice_); }

  void at(TimePoint time, std::function<void()> event);
  void after(Clock::duration delay, std::function<void()> event) {
    at(now_ + delay, std::move(event));
  }
  // Lets the next event happen; false: there is none.
  bool step();
  void run_for(Clock::duration time);

  // What happened, for whoever compares two runs.
  void trace(std::string_view what);
  std::uint64_t trace_hash() const noexcept { return hash_; }
  // What is done to the run, not what comes of it.
  void remark(std::string_view what) const;
  // Also prints both.
  void print_traces() noexcept { printing_ = true; }

  // How long work waits for its round, from now on.
  void pace_work(Span span) noexcept { work_pace_ = span; }
  // Whether work that goes is told of its end: not where its process was killed.
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

// What is sent through it comes out in order, each after a while.
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
