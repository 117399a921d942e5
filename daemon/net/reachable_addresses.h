// The addresses by which clients reach a listening socket.
//
// A socket on 0.0.0.0 or :: listens on all addresses of the machine, but clients cannot connect to
// that address itself.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <vector>

#include "daemon/net/beast.h"

namespace surtitle {

// Returns the addresses of this machine that other machines can reach: of interfaces that are up,
// neither loopback nor link-local. IPv4 is before IPv6, and the address of the default route is the
// first of its kind. If the system does not list its interfaces, returns the addresses of the
// default routes only.
std::vector<asio::ip::address> machine_addresses();

// Returns `listening` or, if it stands for all addresses, those of the machine. A machine without
// any has the loopback. `only_v6`: "::" does not include IPv4.
std::vector<asio::ip::address> reachable_addresses(
    const asio::ip::address& listening, bool only_v6,
    const std::vector<asio::ip::address>& of_machine);

}  // namespace surtitle
