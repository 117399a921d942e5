// A TCP stream that lets the daemon speak before Beast closes a WebSocket over invalid UTF-8.
//
// Beast validates text itself and answers invalid UTF-8 with a bare close frame 1007, at once. The
// protocol promises an `error` message first; so this layer under the WebSocket recognises that one
// close frame on its way out and sends the farewell's frames before it. Everything else passes
// through. (Beast holds its write lock while it sends a close frame, so the farewell never falls
// into another message.)
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <string>
#include <utility>

#include "daemon/beast.h"

namespace surtitle {

// `payload` as one unmasked text frame of a server.
std::string text_frame(std::string_view payload);

class FarewellStream {
 public:
  using next_layer_type = beast::tcp_stream;
  using executor_type = next_layer_type::executor_type;

  // `farewell` is what goes before the close frame: whole frames, see text_frame().
  FarewellStream(tcp::socket&& socket, std::string farewell)
      : stream_(std::move(socket)), farewell_(std::move(farewell)) {}

  executor_type get_executor() noexcept { return stream_.get_executor(); }
  next_layer_type& next_layer() noexcept { return stream_; }
  const next_layer_type& next_layer() const noexcept { return stream_; }

  // True once the farewell was sent.
  bool said_farewell() const noexcept { return said_; }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return stream_.async_read_some(buffers, std::forward<Token>(token));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto handler, const Buffers& bytes) { this->write(std::move(handler), bytes); },
        token, buffers);
  }

 private:
  template <class Handler, class Buffers>
  void write(Handler handler, const Buffers& buffers) {
    if (said_ || !closes_for_bad_payload(*asio::buffer_sequence_begin(buffers))) {
      stream_.async_write_some(buffers, std::move(handler));
      return;
    }
    said_ = true;
    const auto executor = asio::get_associated_executor(handler, get_executor());
    asio::async_write(stream_, asio::buffer(farewell_),
                      asio::bind_executor(executor, [this, handler = std::move(handler), buffers](
                                                        error_code error, std::size_t) mutable {
                        if (error) {
                          std::move(handler)(error, 0);
                        } else {
                          stream_.async_write_some(buffers, std::move(handler));
                        }
                      }));
  }

  static bool closes_for_bad_payload(asio::const_buffer frame);

  beast::tcp_stream stream_;
  std::string farewell_;
  bool said_ = false;
};

// How Beast ends the connection below a WebSocket; found by argument-dependent lookup.
template <class Handler>
void async_teardown(beast::role_type role, FarewellStream& stream, Handler&& handler) {
  websocket::async_teardown(role, stream.next_layer().socket(), std::forward<Handler>(handler));
}

}  // namespace surtitle
