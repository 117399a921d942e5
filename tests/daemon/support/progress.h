// Counts events of other threads, and lets a thread wait for the next one.
//
// Thread-safety: full.
#pragma once

#include <atomic>

namespace surtitle {

class Progress {
 public:
  void happened() {
    ++count_;
    count_.notify_all();
  }
  int so_far() const noexcept { return count_; }
  // Blocks until more events have happened than `count`, an earlier result of so_far().
  void wait_past(int count) const { count_.wait(count); }

 private:
  std::atomic<int> count_{0};
};

}  // namespace surtitle
