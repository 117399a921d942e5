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

// Somebody asks how the daemon is: it tells whoever asks, however often.
bool is_probe(std::string_view target);

// What is wrong with the name that the daemon is asked for by; nothing for probes, which know
// addresses alone, and for programs that tell none in HTTP/1.0.
std::optional<Refusal> wrong_host(const http::request<http::string_body>& request,
                                  const Hosts& hosts);

// Where no token is asked for, administration is for this machine alone: for a peer that is not on
// it, or that passes on somebody else's request, why not.
std::optional<Refusal> not_from_here(const http::request<http::string_body>& request,
                                     bool from_loopback);

// The token of the header Authorization, else that of the address.
std::optional<std::string> shown_token(const http::request<http::string_body>& request);

}  // namespace surtitle
