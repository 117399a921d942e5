// One HTTP connection: answers its requests in order, or becomes a WebSocket by an upgrade.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <optional>

#include "daemon/http/http_context.h"
#include "daemon/net/beast.h"

namespace surtitle {

// Serves a connection, under TLS if the context has it. `rejection`: the response to all requests
// but probes; the peer has a second for one.
asio::awaitable<void> serve_http(tcp::socket socket, const HttpContext& context,
                                 std::optional<RequestError> rejection);

}  // namespace surtitle
