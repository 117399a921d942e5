#include "model/util/worker_pool.h"

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace surtitle {

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
    const std::scoped_lock lock(mutex_);
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
    const std::scoped_lock lock(mutex_);
    share_ = &share;
    shares_ = shares;
    running_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begun_.notify_all();
  std::exception_ptr failure;
  try {
    share(0);
  } catch (...) {
    failure = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0; });
  if (!failure) failure = std::exchange(failure_, nullptr);
  failure_ = nullptr;
  if (failure) std::rethrow_exception(failure);
}

void WorkerPool::work(int index) {
  long seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    begun_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    if (index < shares_) {
      const auto* share = share_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        (*share)(index);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
    }
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace surtitle
