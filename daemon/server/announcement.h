// Prints the daemon's URLs and a QR code on the operator's terminal when it begins to serve.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/access/access_control.h"

namespace surtitle {

// Prints the announcement to standard error, or to standard output, if one of them is a terminal.
// `urls`: URLs that other machines can reach. If the daemon requires tokens and has a key, the
// QR code is an invitation to view the channel main for a day.
void announce_on_terminal(const std::vector<std::string>& urls, const AccessControl& access);

// Returns the announcement. If phones can reach no URL, the text states this.
std::string announcement(const std::vector<std::string>& urls, const AccessControl& access,
                         CalendarSeconds now);

}  // namespace surtitle
