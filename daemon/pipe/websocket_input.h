// Input from a recogniser's WebSocket server.
//
// Each message is followed by a newline. A recogniser cannot resend its messages: when the
// connection is cut, the bytes end, and after reopen() they continue with the first message of the
// next connection.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "daemon/client/websocket_client.h"
#include "daemon/pipe/pipe_input.h"

namespace surtitle {

class WebSocketInput : public PipeInput {
 public:
  // Connects at the first read(). `warn` receives a sentence about each cut and its end.
  // `on_connected` is called after each connection was made.
  WebSocketInput(
      const asio::any_io_executor& executor, WebSocketUrl url,
      std::function<void(const std::string&)> warn, std::function<void()> on_connected = [] {});

  // Ignores `longest` and never returns nullopt, because messages are complete. Throws if the first
  // connection fails.
  asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) override;
  // After a cut, retries until the connection is restored, and returns true. Returns false if the
  // server closed the connection normally, and after stop().
  asio::awaitable<bool> reopen() override;
  void stop() noexcept override;

  // The present connection. One coroutine may send on it.
  const std::shared_ptr<WebSocketClient>& client() const noexcept { return client_; }

 private:
  asio::awaitable<void> connect();
  asio::awaitable<bool> try_again();

  const WebSocketUrl url_;
  const std::function<void(const std::string&)> warn_;
  const std::function<void()> on_connected_;
  std::shared_ptr<WebSocketClient> client_;  // of the current or the next connection
  asio::steady_timer pause_;                 // before the next attempt to reconnect
  bool connected_ = false;
  bool stopped_ = false;
};

}  // namespace surtitle
