// Sockets that the service manager has opened and keeps open while daemons come and go, as
// sd_listen_fds(3) has it: who connects while there is none waits in the system's queue.
#pragma once

#include <string>
#include <vector>

namespace surtitle {

struct InheritedSocket {
  int descriptor = -1;
  std::string name;     // of the unit, where LISTEN_FDNAMES has it, else "socket 3"
  std::string address;  // IP address that it listens on
};

// Those that LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES give to this process; none where they give
// it none. No program that this one starts has them. Throws std::runtime_error, one line, where one
// is no TCP socket that listens.
std::vector<InheritedSocket> inherited_sockets();

}  // namespace surtitle
