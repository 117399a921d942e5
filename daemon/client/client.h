// A client of surtitle.v1: a connection to a daemon, messages both ways, as WebSocketClient has it.
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
  // address and the reason. `url` must live until it is done.
  asio::awaitable<void> connect(const Url& url, std::string path) {
    const std::string target = url.path + path;
    co_await WebSocketClient::connect(url, target);
  }

  // Not a coroutine, so that the message need not live any longer.
  asio::awaitable<bool> send(const protocol::ClientMessage& message) {
    return WebSocketClient::send(to_json(message));
  }
  // As text already; likewise.
  asio::awaitable<bool> send_text(const std::string& text) { return WebSocketClient::send(text); }
};

}  // namespace surtitle
