// Threads that compute the shares of one task: an Inference's sentences of a tick, whose threads
// synchronise once a tick and not at every matrix, or translators' sentences of a whole test set.
//
// Thread-safety: one thread calls run(). If a share throws, run() rethrows after all shares have
// ended.
#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "model/util/mutex.h"

namespace surtitle {

class WorkerPool {
 public:
  // `workers` >= 1 and includes the caller of run(). Throws std::runtime_error if a thread cannot
  // start.
  explicit WorkerPool(int workers);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  int workers() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls share(i) for i in [0, shares), each on its own thread. REQUIRES: shares <= workers().
  void run(int shares, const std::function<void(int)>& share);

 private:
  void stop();
  void work(int index);

  Mutex mutex_;
  CondVar begun_;
  CondVar done_;
  const std::function<void(int)>* share_ GUARDED_BY(mutex_) = nullptr;
  long round_ GUARDED_BY(mutex_) = 0;
  int shares_ GUARDED_BY(mutex_) = 0;
  int running_ GUARDED_BY(mutex_) = 0;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::exception_ptr failure_ GUARDED_BY(mutex_);

  std::vector<std::thread> threads_;
};

}  // namespace surtitle
