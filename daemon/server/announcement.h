// What a daemon that begins to serve shows its operator: its addresses and, on a terminal, the code
// by which phones open the subtitles.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/access/access_control.h"

namespace surtitle {

// Writes to standard error or standard output, if one of them is a terminal. `addresses`: those
// that other machines can reach. If the daemon requires tokens and has a key, the code is an
// invitation to view the channel main for a day.
void announce_on_terminal(const std::vector<std::string>& addresses, const AccessControl& access);

// Returns that text. Without an address that phones can reach, it says so.
std::string announcement(const std::vector<std::string>& addresses, const AccessControl& access,
                         CalendarSeconds now);

}  // namespace surtitle
