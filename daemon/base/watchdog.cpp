#include "daemon/base/watchdog.h"

#include <array>
#include <cstdio>
#include <utility>

namespace surtitle {
namespace {

std::string seconds(Seconds duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", duration.count());
  return text.data();
}

}  // namespace

std::string Stall::message() const {
  if (over) {
    return "Thread " + thread + " recovered after a stall of " + seconds(lasted);
  }
  std::string text = "Thread " + thread + " stalled for " + seconds(lasted) + " (last step: ";
  text += doing.step == nullptr ? "none" : doing.step;
  if (doing.step_number > 0) {
    text += " (" + std::to_string(doing.step_number) + ")";
  }
  if (doing.step != nullptr) {
    text += " for " + seconds(lasted - (doing.step_began - doing.round_ended));
  }
  if (doing.open > 0 || doing.waiting > 0) {
    text += "; " + std::to_string(doing.open) + " sentences open, " +
            std::to_string(doing.waiting) + " waiting";
  }
  return text + ")";
}

Watchdog::Watchdog(Clock::duration limit, std::vector<Watched> watched,
                   std::function<void(const Stall&)> on_stall)
    : limit_(limit), on_stall_(std::move(on_stall)) {
  for (Watched& one : watched) {
    all_.push_back({std::move(one), std::nullopt});
  }
}

void Watchdog::check(TimePoint now) {
  const bool held_up = checked_ && now - *checked_ > 2 * pause();
  checked_ = now;
  if (!on() || held_up) {
    return;
  }
  std::vector<Stall> changes;
  {
    const MutexLock lock(mutex_);
    for (One& one : all_) {
      const Breadcrumb::Seen seen = one.watched.crumb->look();
      const bool late = !seen.idle && now - seen.round_ended > limit_;
      if (late && !one.late_since) {
        one.late_since = seen.round_ended;
        changes.push_back({one.watched.thread, false, now - seen.round_ended, seen});
      } else if (one.late_since && seen.round_ended > *one.late_since) {
        changes.push_back({one.watched.thread, true, seen.round_ended - *one.late_since, seen});
        one.late_since.reset();
      }
    }
  }
  for (const Stall& change : changes) {
    on_stall_(change);
  }
}

Watchdog::StalledThreads Watchdog::stalled_threads() const {
  const MutexLock lock(mutex_);
  StalledThreads stalled;
  for (const One& one : all_) {
    if (one.late_since) {
      stalled.threads += (stalled.threads.empty() ? "" : ", ") + one.watched.thread;
      stalled.vital = stalled.vital || one.watched.vital;
    }
  }
  return stalled;
}

WatchdogThread::WatchdogThread(Watchdog& watchdog) : watchdog_(watchdog) {
  if (watchdog.on()) {
    thread_ = std::thread([this] { run(); });
  }
}

WatchdogThread::~WatchdogThread() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void WatchdogThread::run() {
  TimePoint next = Clock::now() + watchdog_.pause();
  const MutexLock lock(mutex_);
  while (!stopping_) {
    if (!wake_.wait_until(mutex_, next)) {
      watchdog_.check(Clock::now());
      next = Clock::now() + watchdog_.pause();
    }
  }
}

}  // namespace surtitle
