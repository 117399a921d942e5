#include "daemon/base/fd_limit.h"

#include <sys/resource.h>

namespace surtitle {

void raise_fd_limit() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace surtitle
