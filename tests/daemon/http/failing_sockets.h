// Makes one write or read of one connection of a thread fail. A program that links it uses its
// send(), sendmsg(), recv(), recvmsg() and accept() in place of the system's.
//
// Thread-safety: full.
#pragma once

#include <string>

namespace surtitle {

enum class SocketFault {
  kWriteFails,           // nothing is sent, the connection is reset
  kWriteIsSentAndFails,  // all is sent, the connection is reset
  kReadFails,            // received bytes are lost, the connection is reset
  kWriteTakesOneByte,    // one byte of all is sent
  kReadGivesOneByte,     // one byte of all is read
};
std::string name(SocketFault fault);

// Watches the sockets of the calling thread from now on.
void watch_sockets();

// Makes the n-th operation (from 0) fail on the next connection that the watched thread accepts.
void fail_socket(SocketFault fault, int n);

// Whether that operation has failed. From now on, none fails.
bool socket_has_failed();

}  // namespace surtitle
