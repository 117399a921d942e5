#include "daemon/base/environment.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "daemon/base/crypto.h"
#include "daemon/base/log.h"
#include "daemon/base/try_or_log.h"

namespace surtitle {

TimePoint Rounds::round(const Environment& environment) noexcept {
  try {
    const TimePoint next = work_.round();
    short_of_memory_ = false;
    told_ = false;
    return next;
  } catch (const std::bad_alloc&) {
    short_of_memory_ = true;
    told_ = told_ || try_or_log("memory has run out", [] {
              log(LogLevel::kError,
                  "memory runs out; what is to be done is tried again until it suffices");
            });
    return environment.now() + kTryAgain;
  }
}

void Rounds::end() noexcept {
  try_or_log("the last of what was to be done is not", [this] { work_.end(); });
}

namespace {

class ThreadWorker : public Worker {
 public:
  ThreadWorker(const Environment& environment, Work work)
      : environment_(environment), rounds_(std::move(work)) {
    std::promise<void> begun;
    std::future<void> beginning = begun.get_future();
    thread_ = std::thread([this, begun = std::move(begun)]() mutable { run(begun); });
    try {
      beginning.get();
    } catch (...) {
      thread_.join();
      throw;
    }
  }

  ~ThreadWorker() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    wake_.notify_one();
  }

 private:
  void run(std::promise<void>& begun) {
    try {
      rounds_.begin();
      begun.set_value();
    } catch (...) {
      begun.set_exception(std::current_exception());
      return;
    }
    TimePoint next = Work::kAtOnce;
    while (wait(next)) {
      next = rounds_.round(environment_);
    }
    rounds_.end();
  }

  // False: stop.
  bool wait(TimePoint next) {
    std::unique_lock lock(mutex_);
    if (next != Work::kAtOnce) {
      wake_.wait_until(lock, next, [this] { return woken_ || stopping_; });
    }
    woken_ = false;
    return !stopping_;
  }

  const Environment& environment_;
  Rounds rounds_;  // the thread's

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false;
  bool stopping_ = false;

  std::thread thread_;  // last: starts when everything else stands
};

class Machine : public Environment {
 public:
  TimePoint now() const override { return Clock::now(); }
  CalendarTime calendar_time() const override { return std::chrono::system_clock::now(); }
  std::string random_bytes(std::size_t count) override { return surtitle::random_bytes(count); }
  std::unique_ptr<Worker> start(Work work) override {
    return std::make_unique<ThreadWorker>(*this, std::move(work));
  }
};

}  // namespace

Environment& machine() {
  static Machine machine;
  return machine;
}

}  // namespace surtitle
