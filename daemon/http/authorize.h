// Who comes: first a connection, then each of its requests.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "daemon/access/authenticated_client.h"
#include "daemon/access/client_quota.h"
#include "daemon/access/ip_address.h"
#include "daemon/http/http_session.h"
#include "daemon/net/beast.h"

namespace surtitle {

// The other end of a connection.
struct Peer {
  IpAddress address;
  bool proxy = false;                             // whose requests tell who they come from
  std::shared_ptr<ClientQuota> quota = nullptr;   // of its address; none: no limits, or a proxy
  Lease lease = {};                               // of the connection
  std::optional<Refusal> refusal = std::nullopt;  // all that it will hear, but how the daemon is
};

// Nothing where it is to be closed at once: many of its address are being told already that they
// are too many.
std::optional<Peer> meet(const tcp::socket& socket, const HttpContext& context);

// Who comes with a request, or why it is turned away.
std::variant<std::shared_ptr<AuthenticatedClient>, Refusal> let_in(
    const http::request<http::string_body>& request, const HttpContext& context, const Peer& peer);

}  // namespace surtitle
