// Measures how long the calling thread was busy: it ran, or waited for a processor.
//
// Thread-safety: one object belongs to the thread that asks it.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

class ThreadBusyTime {
 public:
  ThreadBusyTime() : last_(so_far()) {}

  // Since the last call, or the construction.
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
