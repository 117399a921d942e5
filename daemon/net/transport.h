// A connection's bytes, in the clear or under TLS, as one stream type, so that what stands on it is
// written and compiled once. In the clear it is a TCP stream and one branch for each call.
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

  // In the clear, connected or not.
  explicit Transport(beast::tcp_stream stream) : stream_(std::move(stream)) {}
  // Under TLS, after a handshake. `context` may go, its settings stay.
  Transport(beast::tcp_stream stream, ssl::context& context)
      : stream_(std::make_unique<TlsStream>(std::move(stream), context)) {}

  bool encrypted() const noexcept { return stream_.index() == 1; }

  // Nothing but for a Transport under TLS, which shakes hands within the time that next_layer()'s
  // timer has.
  asio::awaitable<void> handshake(ssl::stream_base::handshake_type type, error_code& error);
  // Says that nothing more will be written.
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
