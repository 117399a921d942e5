// The access rules: which address requires which role, and what a request presents for it.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/access/access_control.h"
#include "daemon/access/host_allowlist.h"
#include "daemon/net/beast.h"

namespace surtitle {

// Returns what an address requires. Pages and probes require nothing, as they contain no words.
// `open_metrics`: /metrics requires nothing.
AccessRequirement requirement_of(std::string_view target, bool open_metrics);

// A health probe. It is exempt from authentication and from rate limits.
bool is_probe(std::string_view target);

// Returns a refusal if the host of the request is not allowed. Probes, which know addresses alone,
// and requests of HTTP/1.0 without a host are allowed.
std::optional<Refusal> check_host(const http::request<http::string_body>& request,
                                  const Hosts& hosts);

// Without authentication, administration is for the loopback alone. Returns a refusal for a peer of
// another address, and for a proxy that forwards a request.
std::optional<Refusal> require_loopback(const http::request<http::string_body>& request,
                                        bool from_loopback);

// Returns the token of the header Authorization, else that of the address.
std::optional<std::string> bearer_token(const http::request<http::string_body>& request);

}  // namespace surtitle
