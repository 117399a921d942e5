// A client's WebSocket connection, with or without TLS, for messages in both directions.
//
// Call connect() first. Then one coroutine may read() while another one calls send(). Only read()
// determines how the connection ended, because it receives the messages that the server sent before
// the end.
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

#include "daemon/base/websocket_url.h"

namespace surtitle {

namespace asio = boost::asio;

// The kind of server that a client connects to.
struct ServerKind {
  std::string name;          // "surtitled" or "a recogniser", for error messages
  std::string subprotocol;   // empty: none
  bool takes_token = false;  // send the URL's token as a bearer token
};

class WebSocketClient {
 public:
  WebSocketClient(const asio::any_io_executor& executor, ServerKind server);
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;
  ~WebSocketClient();

  // Sets the time without any frame, pings included, after which the connection is lost. REQUIRES:
  // connect() has not been called.
  void set_idle_time(std::chrono::milliseconds time);

  // Opens `target` ("/v1/stream?a=b") at the host of `url`. Throws std::runtime_error: one sentence
  // with the URL and the reason. REQUIRES: both arguments outlive the call.
  asio::awaitable<void> connect(const WebSocketUrl& url, const std::string& target);

  // Completes when the operating system has accepted the message, so a slow server makes it wait.
  // Returns false if the connection has ended.
  asio::awaitable<bool> send(std::string message);
  // The same for a binary message.
  asio::awaitable<bool> send_binary(std::string message);

  // Returns the text of the next message, valid until the next call, or nullopt if the connection
  // has ended.
  asio::awaitable<std::optional<std::string_view>> read();

  // Returns how the connection ended, as a part of a sentence: "lost: Connection reset by peer".
  // REQUIRES: read() returned nullopt.
  std::string close_description() const;
  // Returns whether the server closed the connection with code 1000, or without a code.
  bool closed_normally() const;
  // Returns whether the server closed the connection with a code of its application (4000 to 4999).
  bool closed_with_application_code() const;

  asio::any_io_executor get_executor() const;

  // Ends the connection in order: closes it with code 1000, and completes when the server has
  // closed it, too. REQUIRES: no send() is pending.
  asio::awaitable<void> leave();

  // Ends the connection at once, without a close frame. Pending calls of read() and send() return.
  // May be called at any time.
  void close() noexcept;

 private:
  asio::awaitable<bool> write(std::string message);

  struct Socket;
  std::unique_ptr<Socket> socket_;
};

}  // namespace surtitle
