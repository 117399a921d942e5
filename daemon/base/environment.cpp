#include "daemon/base/environment.h"

#include <future>
#include <new>
#include <thread>
#include <utility>

#include "daemon/base/crypto.h"
#include "daemon/base/log.h"
#include "daemon/base/try_or_log.h"
#include "model/util/mutex.h"

namespace surtitle {

TimePoint TaskRunner::run_once(const Environment& environment) noexcept {
  try {
    const TimePoint next = task_.run_once();
    short_of_memory_ = false;
    shortage_logged_ = false;
    return next;
  } catch (const std::bad_alloc&) {
    short_of_memory_ = true;
    shortage_logged_ =
        shortage_logged_ || try_or_log("Out of memory", [] {
          log(LogLevel::kError, "Out of memory; the task is retried until memory suffices");
        });
    return environment.now() + kRetryDelay;
  }
}

void TaskRunner::end() noexcept {
  try_or_log("Task end failed", [this] { task_.end(); });
}

namespace {

class ThreadWorker : public Worker {
 public:
  ThreadWorker(const Environment& environment, Task task)
      : environment_(environment), runner_(std::move(task)) {
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
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void wake() override {
    {
      const MutexLock lock(mutex_);
      woken_ = true;
    }
    wake_.notify_one();
  }

 private:
  void run(std::promise<void>& begun) {
    try {
      runner_.begin();
      begun.set_value();
    } catch (...) {
      begun.set_exception(std::current_exception());
      return;
    }
    TimePoint next = Task::kImmediately;
    while (wait(next)) {
      next = runner_.run_once(environment_);
    }
    runner_.end();
  }

  // Returns false if the thread must stop.
  bool wait(TimePoint next) {
    const MutexLock lock(mutex_);
    while (next != Task::kImmediately && !woken_ && !stopping_ && wake_.wait_until(mutex_, next)) {
    }
    woken_ = false;
    return !stopping_;
  }

  const Environment& environment_;
  TaskRunner runner_;  // used by the thread alone

  Mutex mutex_;
  CondVar wake_;
  bool woken_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last, as it uses all other members
};

class SystemEnvironment : public Environment {
 public:
  TimePoint now() const override { return Clock::now(); }
  CalendarTime calendar_time() const override { return std::chrono::system_clock::now(); }
  std::string random_bytes(std::size_t count) override { return surtitle::random_bytes(count); }
  std::unique_ptr<Worker> start(Task task) override {
    return std::make_unique<ThreadWorker>(*this, std::move(task));
  }
};

}  // namespace

Environment& system_environment() {
  static SystemEnvironment environment;
  return environment;
}

}  // namespace surtitle
