// One thread's sockets, of which one write or read of one connection fails. It stands before the
// system's own send(), sendmsg(), recv(), recvmsg() and accept() in the program that links it.
//
// Thread-safety: full.
#pragma once

#include <string>

namespace surtitle {

enum class SocketFault {
  kWriteFails,           // nothing is sent, the connection is reset
  kWriteIsSentAndFails,  // likewise, but what was written comes there
  kReadFails,            // what has come is lost, the connection is reset
  kWriteTakesOneByte,    // of all that it is given
  kReadGivesOneByte,     // of all that has come
};
std::string name(SocketFault fault);

// The calling thread's from now on.
void watch_sockets();

// The next connection that the watched thread accepts has its n-th operation, from 0, fail.
void fail_socket(SocketFault fault, int n);

// Whether it has. From now on none does.
bool socket_has_failed();

}  // namespace surtitle
