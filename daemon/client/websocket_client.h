// A WebSocket connection to a server, in the clear or under TLS, text messages both ways.
//
// connect() first. After that one coroutine may read() while another one send()s. What has become
// of the connection is told by read() alone, as it sees what the server still had to say.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/url.h"

namespace surtitle {

namespace asio = boost::asio;

// What a client expects behind an address.
struct ServerKind {
  std::string name;          // "surtitled", "a recogniser", for messages
  std::string subprotocol;   // empty: none
  bool takes_token = false;  // the URL's, as a bearer
};

class WebSocketClient {
 public:
  WebSocketClient(const asio::any_io_executor& executor, ServerKind server);
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;
  ~WebSocketClient();

  // How long the server may give no sign, pings included; before connect().
  void set_idle_time(std::chrono::milliseconds time);

  // Opens `target` ("/v1/stream?a=b") at the host of `url`. Throws std::runtime_error: one sentence
  // with the address and the reason. Both must live until it is done.
  asio::awaitable<void> connect(const Url& url, const std::string& target);

  // Done when the system has taken the message, so a server that is behind makes it wait. False
  // once the connection is over.
  asio::awaitable<bool> send(std::string message);

  // The text of the next message, which lives until the next call; nothing once the connection is
  // over.
  asio::awaitable<std::optional<std::string_view>> read();

  // How the connection ended, after read() gave nothing: a part of a sentence, "lost: Connection
  // reset by peer".
  std::string close_description() const;
  // Whether the server closed it in order.
  bool closed_normally() const;

  asio::any_io_executor get_executor() const;

  // Closes the connection in order; done when the server has, too. While nothing else but a read()
  // waits.
  asio::awaitable<void> leave();

  // Cuts the connection; what waits in read() and send() returns. May be called at any time.
  void close() noexcept;

 private:
  struct Socket;
  std::unique_ptr<Socket> socket_;
};

}  // namespace surtitle
