// How long the calling thread had something to do: it ran, or waited for a processor.
//
// Thread-safety: one object belongs to the thread that asks it.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

class ThreadTime {
 public:
  ThreadTime() : last_(so_far()) {}

  // Since it was asked last, or made.
  Seconds taken() {
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
