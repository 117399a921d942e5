// A layer below Beast's WebSocket that adds messages to its writes.
//
// It has two tasks. The protocol promises an `error` message before a connection is closed, but
// Beast answers invalid UTF-8 at once with a bare close frame 1007. This layer recognises that
// frame and sends the frames of a notice before it. Beast holds its write lock while it sends a
// close frame, so the notice never splits another message.
//
// Beast also writes one message at a time, with a system call each. Here, all waiting messages but
// the last are added before the last one and written with it. They never split a frame that Beast
// writes in parts: the next part is written inside the completion of the one before.
//
// Thread-safety: none; the network thread owns it.
#pragma once

#include <string>
#include <utility>

#include "daemon/net/beast.h"
#include "daemon/net/transport.h"

namespace surtitle {

// Returns `payload` as one unmasked text frame of a server. REQUIRES: less than 64 KiB.
std::string text_frame(std::string_view payload);

class CloseNoticeStream {
 public:
  using next_layer_type = Transport;
  using executor_type = next_layer_type::executor_type;

  static constexpr std::size_t kMaxBefore = 16384;  // bytes of added messages

  // `notice`: whole frames that are sent before the close frame 1007, see text_frame().
  CloseNoticeStream(Transport&& transport, std::string notice)
      : stream_(std::move(transport)), notice_(std::move(notice)) {}

  executor_type get_executor() noexcept { return stream_.get_executor(); }
  next_layer_type& next_layer() noexcept { return stream_; }
  const next_layer_type& next_layer() const noexcept { return stream_; }

  // Adds a text message before the next message that Beast writes. Returns false, and adds nothing,
  // if a write is in progress or kMaxBefore is reached. REQUIRES: Beast writes a message next.
  bool add_text(std::string_view payload) {
    const bool taken = !writing_ && before_.size() + payload.size() <= kMaxBefore;
    if (taken) {
      before_ += text_frame(payload);
    }
    return taken;
  }

  // Call if the peer closes: Beast's close frame then answers the peer's, and needs no notice.
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
      before_ = {};  // frees the memory, too, as most connections are idle
      std::move(handler)(error, bytes);
    });
    // TLS sends each buffer as a record of its own, with a system call. One buffer is cheaper.
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
  std::string before_;  // frames to send before the next write; not changed during a write
};

// Beast calls this to end the connection below a WebSocket. Argument-dependent lookup finds it.
template <class Handler>
void async_teardown(beast::role_type role, CloseNoticeStream& stream, Handler&& handler) {
  async_teardown(role, stream.next_layer(), std::forward<Handler>(handler));
}

}  // namespace surtitle
