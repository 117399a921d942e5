// A mutex, its lock and its condition variable. Clang checks at compile time how they are used.
//
// A member that is declared GUARDED_BY(mutex_) is used, and a function that is declared
// REQUIRES(mutex_) is called, only while mutex_ is held. Clang analyses each function alone, and a
// lambda is a function of its own. A wait is therefore a loop, not a predicate. Constructors and
// destructors are not checked. Other compilers ignore the annotations.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define SURTITLE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define SURTITLE_THREAD_ATTRIBUTE(x)
#endif

#define CAPABILITY(name) SURTITLE_THREAD_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY SURTITLE_THREAD_ATTRIBUTE(scoped_lockable)
#define ACQUIRE(...) SURTITLE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) SURTITLE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define REQUIRES(...) SURTITLE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define GUARDED_BY(mutex) SURTITLE_THREAD_ATTRIBUTE(guarded_by(mutex))

namespace surtitle {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a mutex during its lifetime.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() RELEASE() { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

// A wait releases the mutex and holds it again when it returns. It may return without a
// notification.
class CondVar {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    wake_.wait(lock);
    lock.release();
  }
  // Returns false at `time`.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point time) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = wake_.wait_until(lock, time);
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  void notify_one() noexcept { wake_.notify_one(); }
  void notify_all() noexcept { wake_.notify_all(); }

 private:
  std::condition_variable wake_;
};

}  // namespace surtitle
