// One HTTP connection: answers its requests in order, or becomes a WebSocket by an upgrade.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/access/access_control.h"
#include "daemon/access/host_allowlist.h"
#include "daemon/access/rate_limiter.h"
#include "daemon/http/static_files.h"
#include "daemon/net/beast.h"
#include "daemon/net/tls.h"
#include "daemon/streams/hub.h"

namespace surtitle {

class AdminApi;
class SimulEvalAgent;

// The parts of the daemon that a connection uses. All of them outlive the connections.
struct HttpContext {
  Hub& hub;
  const StaticFiles& files;
  SimulEvalAgent& simuleval;
  const ServerTls& tls;
  const AccessControl& access;
  ClientLimits& limits;
  bool open_metrics = false;  // /metrics needs no token
  Hosts hosts;
  std::vector<std::string> origins;  // their pages may connect, besides the daemon's own; "*": all
  // Time for a request to arrive, and again for the peer to read the response.
  Clock::duration request_time = std::chrono::seconds(30);
  AdminApi* admin_api = nullptr;  // nullptr: no addresses below /v1/admin/
};

// Serves a connection, under TLS if the context has it. `rejection`: the response to all requests
// but probes; the peer has a second for one.
asio::awaitable<void> serve_http(tcp::socket socket, const HttpContext& context,
                                 std::optional<Refusal> rejection);

}  // namespace surtitle
