#include "daemon/base/fd_limit.h"

#include <sys/resource.h>

namespace surtitle {

void allow_many_sockets() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace surtitle
