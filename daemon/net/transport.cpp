#include "daemon/net/transport.h"

namespace surtitle {

asio::awaitable<void> Transport::handshake(ssl::stream_base::handshake_type type,
                                           error_code& error) {
  if (encrypted()) {
    co_await std::get<1>(stream_)->async_handshake(
        type, asio::redirect_error(asio::use_awaitable, error));
  }
}

asio::awaitable<void> Transport::shutdown() {
  constexpr std::chrono::seconds kGoodbyeTime{2};
  error_code ignored;
  if (encrypted()) {
    next_layer().expires_after(kGoodbyeTime);
    co_await std::get<1>(stream_)->async_shutdown(
        asio::redirect_error(asio::use_awaitable, ignored));
  }
  next_layer().socket().shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace surtitle
