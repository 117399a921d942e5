// The bytes of a connection that a client opens.
#pragma once

#include <string>

#include "daemon/base/url.h"
#include "daemon/net/beast.h"
#include "daemon/net/transport.h"

namespace surtitle {

// Not connected yet; under TLS where the address wants it, and then for its host's certificate
// alone. Throws std::runtime_error, one line, where there is nobody to trust.
Transport client_transport(const asio::any_io_executor& executor, const Url& url);

// Why a TLS handshake failed, and what helps.
std::string handshake_failure(Transport& transport, const error_code& error);

}  // namespace surtitle
