// Measures how long the calling thread was busy: it ran, or waited for a processor.
//
// If the kernel has no scheduler statistics, only the time that it ran counts.
//
// Thread-safety: none; an object belongs to the thread that it measures.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

class ThreadBusyTime {
 public:
  ThreadBusyTime() : last_(so_far()) {}

  // Returns the busy time since the last call, or since the construction.
  Seconds since_last() {
    const Seconds now = so_far();
    const Seconds more = now - last_;
    last_ = now;
    return more;
  }

 private:
  static Seconds so_far();

  Seconds last_;
};

}  // namespace surtitle
