#include "tests/simulation/simulation.h"

#include <cmath>
#include <cstdio>
#include <optional>

namespace surtitle {

Clock::duration Rng::duration(Span span) {
  const double least = std::log(static_cast<double>(span.least.count()) + 1);
  const double most = std::log(static_cast<double>(span.most.count()) + 1);
  return Clock::duration(static_cast<Clock::rep>(std::exp(least + (most - least) * uniform())));
}

void Simulation::at(TimePoint time, std::function<void()> event) {
  events_.emplace(std::pair(std::max(time, now_), ++asked_), std::move(event));
}

bool Simulation::step() {
  if (events_.empty()) {
    return false;
  }
  const auto next = events_.extract(events_.begin());
  now_ = next.key().first;
  next.mapped()();
  return true;
}

void Simulation::run_for(Clock::duration time) {
  const TimePoint end = now_ + time;
  while (!events_.empty() && events_.begin()->first.first <= end) {
    step();
  }
}

std::string Simulation::line(std::string_view what) const {
  const std::chrono::nanoseconds time(now_.time_since_epoch());
  return std::to_string(time.count()) + " " + std::string(what) + "\n";
}

void Simulation::trace(std::string_view what) {
  const std::string text = line(what);
  for (const char c : text) {
    hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  if (printing_) {
    std::fputs(text.c_str(), stdout);
  }
}

void Simulation::remark(std::string_view what) const {
  if (printing_) {
    std::fputs(line(what).c_str(), stdout);
  }
}

CalendarTime Simulation::calendar_time() const {
  constexpr std::chrono::hours kSomeDay{24 * 365 * 56};
  return CalendarTime(std::chrono::duration_cast<CalendarTime::duration>(now_.time_since_epoch() +
                                                                         kSomeDay + calendar_));
}

std::string Simulation::random_bytes(std::size_t count) {
  std::string bytes;
  while (bytes.size() < count) {
    bytes += static_cast<char>(secrets_.between(0, 255));
  }
  return bytes;
}

// A worker whose rounds are events. They follow a while after it is woken.
class SimulatedWorker : public Worker {
 public:
  SimulatedWorker(Simulation& simulation, Task work)
      : simulation_(simulation), rng_(simulation.make_die()), runner_(std::move(work)) {
    runner_.begin();
    wake();
  }

  ~SimulatedWorker() override {
    if (simulation_.tell_of_end_) {
      runner_.end();
    }
  }

  void wake() override { schedule(simulation_.now() + rng_.duration(simulation_.work_pace_)); }

 private:
  void schedule(TimePoint time) {
    if (due_ && *due_ <= time) {
      return;
    }
    due_ = time;
    simulation_.at(time, [this, alive = std::weak_ptr(alive_), time] {
      if (!alive.expired() && due_ == time) {
        due_.reset();
        run_once();
      }
    });
  }

  void run_once() {
    const TimePoint next = runner_.run_once(simulation_);
    if (next == Task::kImmediately) {
      wake();
    } else if (next != Task::kWhenNotified) {
      schedule(next);
    }
  }

  Simulation& simulation_;
  Rng rng_;
  TaskRunner runner_;
  std::optional<TimePoint> due_;
  const std::shared_ptr<int> alive_ = std::make_shared<int>();
};

std::unique_ptr<Worker> Simulation::start(Task work) {
  return std::make_unique<SimulatedWorker>(*this, std::move(work));
}

}  // namespace surtitle
