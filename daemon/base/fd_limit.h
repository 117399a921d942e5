// Room for thousands of connections.
#pragma once

namespace surtitle {

// Every stream is a socket, and the usual limit is 1,024 of them; the system lets a process raise
// it to a hard limit that is higher. Where it does not, the process goes on as it was.
void allow_many_sockets() noexcept;

}  // namespace surtitle
