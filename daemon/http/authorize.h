// Authorises clients: first a connection, then each of its requests.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <memory>
#include <optional>

#include "daemon/access/authenticated_client.h"
#include "daemon/access/client_quota.h"
#include "daemon/access/ip_address.h"
#include "daemon/http/route_table.h"
#include "daemon/net/beast.h"

namespace surtitle {

// The other end of a connection.
struct Peer {
  IpAddress address;
  bool proxy = false;  // a trusted proxy: X-Forwarded-For names the client
  std::shared_ptr<ClientQuota> quota = nullptr;  // of its address; nullptr: unlimited, or a proxy
  Lease lease = {};                              // of the connection
  std::optional<RequestError> refusal = {};      // the response to all requests except probes
};

// Returns the peer of a new connection, with an error if its address has used up its quota.
// Returns nullopt if the connection must be closed at once: it is closed already, or too many
// connections of its address are being refused.
std::optional<Peer> accept_peer(const tcp::socket& socket, const HttpContext& context);

// Authenticates the client of a request. `match`: the route of its path.
Result<std::shared_ptr<AuthenticatedClient>> authorize_request(const HttpRequest& request,
                                                               const HttpContext& context,
                                                               const Peer& peer,
                                                               const RouteMatch& match);

// Returns an error if the origin of the request is not allowed here. Returns one as well if the
// client has too many streams to open the one that the request asks for.
Result<void> admit(const RoutedRequest& request, const RouteMatch& match);

}  // namespace surtitle
