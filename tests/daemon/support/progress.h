// What goes on in other threads, counted, for whoever waits until more of it has happened.
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
  // Until it has happened again since so_far() was `count`.
  void wait_past(int count) const { count_.wait(count); }

 private:
  std::atomic<int> count_{0};
};

}  // namespace surtitle
