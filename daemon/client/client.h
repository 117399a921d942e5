// A client's connection to a daemon, with messages of surtitle.v1 in both directions.
//
// connect() first; then use it as a WebSocketClient.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <string>
#include <string_view>

#include "daemon/client/websocket_client.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

class Client : public WebSocketClient {
 public:
  explicit Client(const asio::any_io_executor& executor)
      : WebSocketClient(executor,
                        {"surtitled", std::string(protocol::kSubprotocol), /*takes_token=*/true}) {}

  // Opens `path` ("/v1/stream") below `url`. Throws std::runtime_error: one sentence with the
  // URL and the reason. REQUIRES: `url` outlives the call.
  asio::awaitable<void> connect(const WebSocketUrl& url, std::string path) {
    const std::string target = url.path + path;
    co_await WebSocketClient::connect(url, target);
  }

  // As WebSocketClient::send(). The message need not outlive the call of the function.
  asio::awaitable<bool> send(const protocol::ClientMessage& message) {
    return WebSocketClient::send(to_json(message));
  }
  // The same for a message that is serialised already.
  asio::awaitable<bool> send_text(const std::string& text) { return WebSocketClient::send(text); }
};

}  // namespace surtitle
