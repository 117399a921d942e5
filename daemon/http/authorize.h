// Authorises clients: first a connection, then each of its requests.
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
  bool proxy = false;                             // whose requests name their client
  std::shared_ptr<ClientQuota> quota = nullptr;   // of its address; none: no limits, or a proxy
  Lease lease = {};                               // of the connection
  std::optional<Refusal> refusal = std::nullopt;  // of all requests but probes
};

// Returns nullopt if the connection is to be closed at once, as enough others of its address are
// being sent a refusal.
std::optional<Peer> accept_peer(const tcp::socket& socket, const HttpContext& context);

// Returns the client of a request, or a refusal.
std::variant<std::shared_ptr<AuthenticatedClient>, Refusal> authorize_request(
    const http::request<http::string_body>& request, const HttpContext& context, const Peer& peer);

}  // namespace surtitle
