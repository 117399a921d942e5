#include "daemon/environment.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "daemon/access/secrets.h"

namespace surtitle {
namespace {

class ThreadWorker : public Worker {
 public:
  explicit ThreadWorker(Work work) : work_(std::move(work)) {
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
      work_.begin();
      begun.set_value();
    } catch (...) {
      begun.set_exception(std::current_exception());
      return;
    }
    TimePoint next = Work::kAtOnce;
    while (wait(next)) {
      next = work_.round();
    }
    work_.end();
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

  const Work work_;

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
    return std::make_unique<ThreadWorker>(std::move(work));
  }
};

}  // namespace

Environment& machine() {
  static Machine machine;
  return machine;
}

}  // namespace surtitle
