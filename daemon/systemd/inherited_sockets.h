// Listening sockets that the service manager passes to the daemon (socket activation).
//
// The protocol is sd_listen_fds(3). The service manager keeps the sockets open while the daemon
// restarts, and new connections wait in the kernel's queue.
#pragma once

#include <string>
#include <vector>

namespace surtitle {

struct InheritedSocket {
  int descriptor = -1;
  std::string name;     // from LISTEN_FDNAMES, or "socket 3" if it is not listed there
  std::string address;  // IP address of the listening socket
};

// Returns the sockets that LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES assign to this process; the
// list may be empty. If there are sockets, it marks them close-on-exec and unsets the variables, so
// that child processes do not inherit them. Throws std::runtime_error with one line if a socket is
// not a listening TCP socket, or if a variable is invalid.
//
// Thread-safety: none; the main thread calls it once, before it starts other threads.
std::vector<InheritedSocket> inherited_sockets();

}  // namespace surtitle
