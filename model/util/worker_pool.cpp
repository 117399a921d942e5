#include "model/util/worker_pool.h"

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace surtitle {
namespace {

std::exception_ptr failure_of(const std::function<void(int)>& share, int index) {
  try {
    share(index);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

WorkerPool::WorkerPool(int workers) {
  try {
    for (int index = 1; index < workers; ++index)
      threads_.emplace_back([this, index] { work(index); });
  } catch (const std::system_error& error) {
    const auto started = threads_.size() + 1;
    stop();
    throw std::runtime_error("cannot start " + std::to_string(workers) + " threads, only " +
                             std::to_string(started) + ": " + error.code().message());
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  begun_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WorkerPool::run(int shares, const std::function<void(int)>& share) {
  if (shares <= 1) {
    if (shares == 1) share(0);
    return;
  }
  {
    const MutexLock lock(mutex_);
    share_ = &share;
    shares_ = shares;
    running_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begun_.notify_all();
  std::exception_ptr failure = failure_of(share, 0);
  {
    const MutexLock lock(mutex_);
    while (running_ > 0) done_.wait(mutex_);
    const std::exception_ptr of_others = std::exchange(failure_, nullptr);
    if (!failure) failure = of_others;
  }
  if (failure) std::rethrow_exception(failure);
}

void WorkerPool::work(int index) {
  for (long round = 1;; ++round) {
    const std::function<void(int)>* share = nullptr;
    {
      const MutexLock lock(mutex_);
      while (!stop_ && round_ < round) begun_.wait(mutex_);
      if (stop_) return;
      share = index < shares_ ? share_ : nullptr;
    }
    const std::exception_ptr failure = share != nullptr ? failure_of(*share, index) : nullptr;
    const MutexLock lock(mutex_);
    if (failure) failure_ = failure;
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace surtitle
