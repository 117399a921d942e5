// Makes the transport of a client's connection, with TLS if the URL requires it.
//
// Thread-safety: none; client_tls() has one cache for all connections.
#pragma once

#include <string>

#include "daemon/base/websocket_url.h"
#include "daemon/net/beast.h"
#include "daemon/net/transport.h"

namespace surtitle {

// Returns a transport that is not connected yet. With TLS, it accepts only a certificate for the
// host of `url`. Throws std::runtime_error, one line, if the trusted authorities cannot be loaded.
Transport client_transport(const asio::any_io_executor& executor, const WebSocketUrl& url);

// Returns the reason of a failed TLS handshake, with a suggestion.
std::string handshake_failure(Transport& transport, const error_code& error);

}  // namespace surtitle
