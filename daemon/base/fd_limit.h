// The limit of open file descriptors, for thousands of connections.
//
// Thread-safety: none; the main thread calls it once.
#pragma once

namespace surtitle {

// Raises the limit to the hard limit of the system. Each stream is a socket, and the usual limit is
// 1,024. If the limit cannot be raised, it stays.
void raise_fd_limit() noexcept;

}  // namespace surtitle
