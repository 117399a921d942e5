// A client of surtitle.v1: one connection to a daemon, messages both ways.
//
// connect() first. After that one coroutine may read() while another one send()s. What has become
// of the connection is told by read() alone, as it sees what the daemon still had to say.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/protocol.h"
#include "daemon/url.h"

namespace surtitle {

namespace asio = boost::asio;

class Client {
 public:
  explicit Client(const asio::any_io_executor& executor);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  // Opens `path` ("/v1/stream") below `url`. Throws std::runtime_error: one sentence with the
  // address and the reason. `url` and `path` must live until it is done.
  asio::awaitable<void> connect(const Url& url, std::string_view path);

  // Done when the system has taken the message, so a daemon that is behind makes it wait. False
  // once the connection is over.
  asio::awaitable<bool> send(const protocol::ClientMessage& message);

  // The text of the next message, which lives until the next call; nothing once the connection is
  // over.
  asio::awaitable<std::optional<std::string_view>> read();

  // How the connection ended, after read() gave nothing: a part of a sentence, "lost: Connection
  // reset by peer".
  std::string ending() const;

  asio::any_io_executor get_executor() const;

  // Cuts the connection; what waits in read() and send() returns. May be called at any time.
  void close() noexcept;

 private:
  asio::awaitable<bool> write();

  struct Socket;
  std::unique_ptr<Socket> socket_;
};

}  // namespace surtitle
