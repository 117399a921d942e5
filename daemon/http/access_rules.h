// The access rules: the requirement of a path, and the checks of a request's host, origin and
// token.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/access/access_control.h"
#include "daemon/access/host_allowlist.h"
#include "daemon/http/route_table.h"

namespace surtitle {

// Returns the requirement of a path. `open_metrics`: /metrics requires no role.
AccessRequirement requirement_of(const RouteMatch& match, bool open_metrics);

// Returns the first parameter of a path, or nullopt if it is no valid name of a channel.
std::optional<std::string> channel_parameter(const std::vector<std::string_view>& parameters);

// Returns an error if the host of the request is not allowed. Requests of HTTP/1.0 without a host
// are allowed.
Result<void> check_host(const HttpRequest& request, const HostAllowlist& hosts);

// Restricts the administration to the loopback, for a daemon without authentication. Returns an
// error if the peer has another address or if a proxy has forwarded the request.
Result<void> require_loopback(const HttpRequest& request, bool from_loopback);

// Returns true if the request has no origin (a program), or its origin is the daemon's own or in
// allowed_origins.
bool origin_allowed(const HttpRequest& request, const HttpContext& context);

// Returns an error if the origin of the request may not use this access. Programs send no origin.
// The allowed origins may use streams and channels, and only the daemon's own pages the
// administration.
Result<void> check_origin(const HttpRequest& request, const HttpContext& context, Access access);

// Returns the token of the header Authorization or else of the query, or nullopt.
std::optional<std::string> bearer_token(const HttpRequest& request);

}  // namespace surtitle
