// The WebSockets of senders, /v1/stream, of viewers, /v1/channels/NAME, and of WhisperLiveKit,
// /v1/alignatt and /.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <memory>

#include "daemon/http/route.h"

namespace surtitle {

Result<std::unique_ptr<ConnectionHandler>> open_sender(const RoutedRequest& request);
Result<std::unique_ptr<ConnectionHandler>> open_viewer(const RoutedRequest& request);
Result<std::unique_ptr<ConnectionHandler>> open_alignatt(const RoutedRequest& request);

// The error of an upgrade at another path.
RequestError unknown_websocket();

}  // namespace surtitle
