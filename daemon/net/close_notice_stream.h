// A layer below the WebSocket that sends an error before Beast's own close frame, and several
// messages in one system call.
//
// Beast validates text itself and answers invalid UTF-8 with a bare close frame 1007, at once. The
// protocol promises an `error` message first. This layer recognises that close frame when it is
// written, and sends the frames of the notice before it. Everything else passes through. (Beast
// holds its write lock while it sends a close frame, so the notice never splits another message.)
//
// Beast writes one message at a time, and with thousands of viewers a system call for each is dear.
// All waiting messages but the last are added here and written with that one. None splits a frame
// of Beast's, which may take several writes: the next begins inside the last one's completion.
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

class CloseNoticeStream {
 public:
  using next_layer_type = Transport;
  using executor_type = next_layer_type::executor_type;

  static constexpr std::size_t kMaxBefore = 16384;  // bytes

  // `notice`: whole frames that are sent before the close frame, see text_frame().
  CloseNoticeStream(Transport&& transport, std::string notice)
      : stream_(std::move(transport)), notice_(std::move(notice)) {}

  executor_type get_executor() noexcept { return stream_.get_executor(); }
  next_layer_type& next_layer() noexcept { return stream_; }
  const next_layer_type& next_layer() const noexcept { return stream_; }

  // Adds a text message before the next one that is written. Returns false, and adds nothing, if a
  // write is in progress or enough messages wait. REQUIRES: the next one is written soon.
  bool add_text(std::string_view payload) {
    const bool taken = !writing_ && before_.size() + payload.size() <= kMaxBefore;
    if (taken) {
      before_ += text_frame(payload);
    }
    return taken;
  }

  // The peer closes. No notice from now on: the close frame that is sent answers the peer's.
  void peer_closes() noexcept { notice_sent_ = true; }

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
    if (!notice_sent_ && closes_for_bad_payload(*asio::buffer_sequence_begin(buffers))) {
      notice_sent_ = true;
      before_ += notice_;
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
  std::string notice_;
  bool notice_sent_ = false;  // or not needed any more
  bool writing_ = false;
  std::string before_;  // bytes before the next write; during the write, none are added
};

// How Beast ends the connection below a WebSocket; found by argument-dependent lookup.
template <class Handler>
void async_teardown(beast::role_type role, CloseNoticeStream& stream, Handler&& handler) {
  async_teardown(role, stream.next_layer(), std::forward<Handler>(handler));
}

}  // namespace surtitle
