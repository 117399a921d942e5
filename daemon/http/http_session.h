// One HTTP connection: answers requests one after the other; an upgrade makes it a WebSocket.
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

// What a connection needs of the daemon. All of it outlives the connections.
struct HttpContext {
  Hub& hub;
  const StaticFiles& files;
  SimulEvalAgent& simuleval;
  const ServerTls& tls;
  const AccessControl& access;
  ClientLimits& limits;
  bool open_metrics = false;  // /metrics needs no token
  Hosts hosts;
  std::vector<std::string> origins;  // whose pages may connect besides the daemon's own; "*": all
  Clock::duration request_time = std::chrono::seconds(30);  // for a request to come, and to be read
  AdminApi* admin_api = nullptr;  // nobody: there is nothing below /v1/admin/
};

// Serves a connection, under TLS if the context has it. `rejection`: the response to all requests
// but probes; the peer has a second for one.
asio::awaitable<void> serve_http(tcp::socket socket, const HttpContext& context,
                                 std::optional<Refusal> rejection);

}  // namespace surtitle
