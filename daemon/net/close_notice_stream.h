// A stream that lets the daemon speak before Beast closes a WebSocket over invalid UTF-8, and
// that hands several messages to the system at once.
//
// Beast validates text itself and answers invalid UTF-8 with a bare close frame 1007, at once. The
// protocol promises an `error` message first; so this layer under the WebSocket recognises that one
// close frame on its way out and sends the farewell's frames before it. Everything else passes
// through. (Beast holds its write lock while it sends a close frame, so the farewell never falls
// into another message.)
//
// Beast writes one message at a time, and thousands of viewers make a system call for each dear; so
// all that wait but the last are put here, and go out with that one. None falls into a frame of
// Beast's, though that may take several writes: the next begins inside the last one's completion.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <string>
#include <utility>

#include "daemon/net/beast.h"
#include "daemon/net/transport.h"

namespace surtitle {

// `payload` as one unmasked text frame of a server.
std::string text_frame(std::string_view payload);

class FarewellStream {
 public:
  using next_layer_type = Transport;
  using executor_type = next_layer_type::executor_type;

  static constexpr std::size_t kMostBefore = 16384;  // bytes

  // `farewell` is what goes before the close frame: whole frames, see text_frame().
  FarewellStream(Transport&& transport, std::string farewell)
      : stream_(std::move(transport)), farewell_(std::move(farewell)) {}

  executor_type get_executor() noexcept { return stream_.get_executor(); }
  next_layer_type& next_layer() noexcept { return stream_; }
  const next_layer_type& next_layer() const noexcept { return stream_; }

  // Puts a text message before the next that is written; nothing where bytes are on their way, or
  // enough wait already. REQUIRES: that next one comes.
  bool add_text(std::string_view payload) {
    const bool taken = !writing_ && before_.size() + payload.size() <= kMostBefore;
    if (taken) {
      before_ += text_frame(payload);
    }
    return taken;
  }

  // No farewell from now on: a close frame that goes out answers the peer's, code and all.
  void peer_closes() noexcept { said_ = true; }

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
    if (!said_ && closes_for_bad_payload(*asio::buffer_sequence_begin(buffers))) {
      said_ = true;
      before_ += farewell_;
    }
    writing_ = true;
    const auto executor = asio::get_associated_executor(handler, get_executor());
    auto written = asio::bind_executor(executor, [this, handler = std::move(handler)](
                                                     error_code error, std::size_t bytes) mutable {
      writing_ = false;
      before_ = {};  // its memory too: most connections are idle
      std::move(handler)(error, bytes);
    });
    // TLS makes each buffer a record, and each record a system call: there all goes out as one.
    if (before_.empty() && !stream_.encrypted()) {
      stream_.async_write_some(buffers, std::move(written));
    } else {
      write_behind_others(std::move(written), buffers);
    }
  }

  template <class Handler, class Buffers>
  void write_behind_others(Handler handler, const Buffers& buffers) {
    const std::size_t others = before_.size();
    before_.resize(others + asio::buffer_size(buffers));
    asio::buffer_copy(asio::buffer(before_.data() + others, before_.size() - others), buffers);
    const auto executor = asio::get_associated_executor(handler, get_executor());
    asio::async_write(stream_, asio::buffer(before_),
                      asio::bind_executor(executor, [others, handler = std::move(handler)](
                                                        error_code error, std::size_t all) mutable {
                        std::move(handler)(error, error ? 0 : all - others);
                      }));
  }

  static bool closes_for_bad_payload(asio::const_buffer frame);

  Transport stream_;
  std::string farewell_;
  bool said_ = false;  // the farewell, or nothing is left to say
  bool writing_ = false;
  std::string before_;  // what goes out before the next write; while it does, nothing is added
};

// How Beast ends the connection below a WebSocket; found by argument-dependent lookup.
template <class Handler>
void async_teardown(beast::role_type role, FarewellStream& stream, Handler&& handler) {
  async_teardown(role, stream.next_layer(), std::forward<Handler>(handler));
}

}  // namespace surtitle
