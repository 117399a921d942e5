// Makes one HTTP GET request to a daemon and blocks until the answer.
//
// Thread-safety: may be called from any thread.
#pragma once

#include <string>

#include "daemon/base/websocket_url.h"

namespace surtitle {

// Requests `target` below the path of `url`, with the token of `url`, and returns the body of the
// answer. Throws std::runtime_error, one sentence, if no answer arrives within ten seconds or its
// status is not 200.
std::string http_get(const WebSocketUrl& url, const std::string& target);

}  // namespace surtitle
