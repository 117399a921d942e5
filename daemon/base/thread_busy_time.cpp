#include "daemon/base/thread_busy_time.h"

#include <ctime>
#include <fstream>

namespace surtitle {

Seconds ThreadBusyTime::so_far() {
  constexpr double kNano = 1e-9;
  double ran = 0;
  double waited = 0;
  std::ifstream scheduler("/proc/thread-self/schedstat");
  if (scheduler >> ran >> waited) {
    return Seconds((ran + waited) * kNano);
  }
  timespec time{};  // the kernel has no scheduler statistics
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * kNano);
}

}  // namespace surtitle
