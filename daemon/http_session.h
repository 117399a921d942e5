// One HTTP connection: answers requests one after the other; an upgrade makes it a WebSocket.
#pragma once

#include "daemon/beast.h"
#include "daemon/hub.h"
#include "daemon/static_files.h"

namespace surtitle {

class SimulEvalAgent;

// What a connection needs of the daemon. All of it outlives the connections.
struct HttpContext {
  Hub& hub;
  const StaticFiles& files;
  SimulEvalAgent& simuleval;
  std::vector<std::string> origins;  // whose pages may connect besides the daemon's own; "*": all
  Clock::duration request_time = std::chrono::seconds(30);  // for a request to come, and to be read
};

asio::awaitable<void> serve_http(tcp::socket socket, const HttpContext& context);

}  // namespace surtitle
