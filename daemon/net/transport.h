// The byte stream of a connection, plain or with TLS.
//
// It is one type for both, so that the code above is compiled once. A plain connection is a TCP
// stream with one more branch in each call.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/ssl.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "daemon/net/beast.h"

namespace surtitle {

namespace ssl = asio::ssl;

class Transport {
 public:
  using next_layer_type = beast::tcp_stream;
  using executor_type = next_layer_type::executor_type;
  using TlsStream = ssl::stream<beast::tcp_stream>;

  // A plain connection. `stream` may be connected later.
  explicit Transport(beast::tcp_stream stream) : stream_(std::move(stream)) {}
  // An encrypted connection, which needs a handshake(). It may outlive `context`.
  Transport(beast::tcp_stream stream, ssl::context& context)
      : stream_(std::make_unique<TlsStream>(std::move(stream), context)) {}

  bool encrypted() const noexcept { return stream_.index() == 1; }

  // Performs the TLS handshake within the timeout of next_layer(). Does nothing on a plain
  // connection.
  asio::awaitable<void> handshake(ssl::stream_base::handshake_type type, error_code& error);
  // Ends the sending side: TLS' close notification (at most 2 s), then the shutdown of the socket.
  // Errors are ignored.
  asio::awaitable<void> shutdown();

  // REQUIRES: encrypted().
  SSL* native_handle() { return std::get<1>(stream_)->native_handle(); }

  executor_type get_executor() noexcept { return next_layer().get_executor(); }
  next_layer_type& next_layer() noexcept {
    return encrypted() ? std::get<1>(stream_)->next_layer() : std::get<0>(stream_);
  }
  const next_layer_type& next_layer() const noexcept {
    return encrypted() ? std::get<1>(stream_)->next_layer() : std::get<0>(stream_);
  }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return encrypted() ? std::get<1>(stream_)->async_read_some(buffers, std::forward<Token>(token))
                       : std::get<0>(stream_).async_read_some(buffers, std::forward<Token>(token));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return encrypted() ? std::get<1>(stream_)->async_write_some(buffers, std::forward<Token>(token))
                       : std::get<0>(stream_).async_write_some(buffers, std::forward<Token>(token));
  }

 private:
  template <class Handler>
  friend void async_teardown(beast::role_type role, Transport& transport, Handler&& handler) {
    if (transport.encrypted()) {
      beast::async_teardown(role, *std::get<1>(transport.stream_), std::forward<Handler>(handler));
    } else {
      websocket::async_teardown(role, std::get<0>(transport.stream_).socket(),
                                std::forward<Handler>(handler));
    }
  }

  std::variant<beast::tcp_stream, std::unique_ptr<TlsStream>> stream_;
};

}  // namespace surtitle
