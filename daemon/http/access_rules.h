// The access rules: the role that an address requires, and the credentials of a request.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/access/access_control.h"
#include "daemon/access/host_allowlist.h"
#include "daemon/net/beast.h"

namespace surtitle {

// Returns the requirement of an address. Pages and probes require no role, as they contain no words
// of streams. `open_metrics`: /metrics requires no role.
AccessRequirement requirement_of(std::string_view target, bool open_metrics);

// Returns true for a health probe, which is exempt from authentication and rate limits.
bool is_probe(std::string_view target);

// Returns an error if the host of the request is not allowed. Probes are always allowed, as they
// may know only the IP address, and so are requests of HTTP/1.0 without a host.
Result<void> check_host(const http::request<http::string_body>& request, const Hosts& hosts);

// Restricts /v1/admin/ to the loopback, for a daemon without authentication. Returns an error if
// the peer has another address or if a proxy has forwarded the request.
Result<void> require_loopback(const http::request<http::string_body>& request, bool from_loopback);

// Returns the token of the header Authorization or else of the query, or nullopt.
std::optional<std::string> bearer_token(const http::request<http::string_body>& request);

}  // namespace surtitle
