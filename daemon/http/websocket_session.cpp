#include "daemon/http/websocket_session.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "daemon/base/log.h"
#include "daemon/base/try_or_log.h"

namespace surtitle {
namespace {

using protocol::Error;
using protocol::ErrorCode;

constexpr std::chrono::seconds kHandshakeTime{10};
constexpr std::chrono::seconds kCloseTime{5};  // for queued messages and the close handshake
constexpr std::size_t kReadBytes = 16384;      // of one read, at most
constexpr std::chrono::seconds kHeldUp{
    1};  // overdue by this: the process or the machine was suspended

// A duplicate of the descriptor, so that its number is not reused meanwhile.
class SocketCopy {
 public:
  explicit SocketCopy(int socket) : descriptor_(fcntl(socket, F_DUPFD_CLOEXEC, 0)) {}
  SocketCopy(const SocketCopy&) = delete;
  SocketCopy& operator=(const SocketCopy&) = delete;
  ~SocketCopy() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  // Returns false if no descriptor was available.
  bool peer_has_closed() const {
    pollfd socket{descriptor_, POLLRDHUP, 0};
    return poll(&socket, 1, 0) > 0 && socket.revents != 0;
  }

 private:
  const int descriptor_;
};

}  // namespace

WebsocketSession::WebsocketSession(CloseNoticeStream&& stream, const protocol::Limits& limits,
                                   std::unique_ptr<ConnectionHandler> handler,
                                   DaemonMetrics& metrics)
    : limits_(limits),
      handler_(std::move(handler)),
      metrics_(metrics),
      socket_(std::move(stream)),
      outgoing_(limits.outgoing_messages, limits.outgoing_bytes),
      may_write_(socket_.get_executor()),
      may_read_(socket_.get_executor()),
      watch_(socket_.get_executor()),
      last_received_(Clock::now()),
      pinged_(last_received_) {}

WebsocketSession::~WebsocketSession() = default;

asio::awaitable<void> WebsocketSession::run(const Request& request) {
  const auto self = shared_from_this();
  const bool accepted = co_await accept(request);
  if (!accepted) {
    co_return;
  }
  const auto keep = [self](const std::exception_ptr& failure) {  // keeps the session alive
    if (failure) {
      self->abort();
    }
  };
  handler_->on_open(*this);
  asio::co_spawn(socket_.get_executor(), write_messages(), keep);
  asio::co_spawn(socket_.get_executor(), watch(), keep);
  try {
    co_await read_messages();
  } catch (const std::exception& failure) {
    const Error error =
        make_error_noexcept(ErrorCode::kInternal, "internal error: ", failure.what());
    if (!try_or_log("Reporting an internal error to the peer failed",
                    [&] { report_protocol_error(error); })) {
      abort();
    }
  }
}

asio::awaitable<bool> WebsocketSession::accept(const Request& request) {
  websocket::stream_base::timeout timeout;
  timeout.handshake_timeout = kHandshakeTime;
  timeout.idle_timeout = websocket::stream_base::none();  // handled by watch()
  timeout.keep_alive_pings = false;
  socket_.set_option(timeout);
  const auto offered = request[http::field::sec_websocket_protocol];
  const bool echo = http::token_list(offered).exists(protocol::kSubprotocol);
  socket_.set_option(websocket::stream_base::decorator([echo](websocket::response_type& response) {
    response.set(http::field::server, "surtitled");
    if (echo) {
      response.set(http::field::sec_websocket_protocol, protocol::kSubprotocol);
    }
  }));
  socket_.control_callback([this](websocket::frame_type type, beast::string_view /*payload*/) {
    last_received_ = Clock::now();
    if (type == websocket::frame_type::close) {
      socket_.next_layer().peer_closes();
    }
  });
  socket_.auto_fragment(false);
  socket_.text(true);
  // read_message() sends an error for large messages, while Beast would only close. The limit is
  // not off, so that Beast still rejects a length whose top bit is set.
  socket_.read_message_max(std::numeric_limits<std::int64_t>::max());
  error_code error;
  co_await socket_.async_accept(request, asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

// --- reading ---

asio::awaitable<void> WebsocketSession::read_messages() {
  while (!ended_ && !aborted_) {
    if (!may_read()) {
      co_await may_read_.wait();
      continue;
    }
    const bool open = co_await read_message();
    if (!open) {
      break;
    }
  }
  if (!ended_ && !protocol_error_) {
    abort();
  }
}

// The handler ends the connection, now or later.
void WebsocketSession::report_protocol_error(const Error& error) {
  protocol_error_ = true;
  handler_->on_protocol_error(error);
}

// Reads one message for the handler. Returns false once the connection is over.
asio::awaitable<bool> WebsocketSession::read_message() {
  const auto longest = static_cast<std::size_t>(limits_.message_bytes);
  incoming_.clear();
  do {
    const std::size_t room = std::min(kReadBytes, longest + 1 - incoming_.size());
    error_code error;
    co_await socket_.async_read_some(incoming_, room,
                                     asio::redirect_error(asio::use_awaitable, error));
    if (error) {
      if (error == websocket::error::bad_frame_payload) {
        metrics_.error(ErrorCode::kBadUtf8);
      } else if (error == websocket::error::message_too_big) {
        metrics_.error(ErrorCode::kMessageTooLarge);
      }
      const std::uint16_t code = socket_.reason().code;
      closed_by_peer_ =
          error == websocket::error::closed &&
          (code == websocket::close_code::normal || code == websocket::close_code::none);
      co_return false;
    }
    last_received_ = Clock::now();
    if (ended_) {
      co_return false;
    }
    if (incoming_.size() > longest) {
      report_protocol_error(
          {ErrorCode::kMessageTooLarge, "the message is larger than " + std::to_string(longest) +
                                            " bytes; send words in several messages"});
      co_return false;
    }
  } while (!socket_.is_message_done());
  if (!socket_.got_text()) {
    report_protocol_error({ErrorCode::kBadJson, "the frame is binary; send JSON in text frames"});
    co_return false;
  }
  const asio::const_buffer bytes = incoming_.cdata();
  handler_->on_message({static_cast<const char*>(bytes.data()), bytes.size()}, last_received_);
  watch_.notify();  // the deadline may have changed
  co_return true;
}

bool WebsocketSession::may_read() const {
  return handler_->may_read() && !outgoing_.more_than_half_full();
}

void WebsocketSession::wake() {
  may_read_.notify();
  watch_.notify();
}

// --- writing ---

void WebsocketSession::send(OutgoingText message) {
  if (ended_) {
    return;
  }
  const auto bound =
      handler_->is_self_limiting() ? OutgoingQueue::Bound::kNone : OutgoingQueue::Bound::kAll;
  if (outgoing_.push(std::move(message), bound)) {
    may_write_.notify();
  } else if (!send_snapshot()) {
    disconnect_slow_consumer();
  }
}

// Replaces the queued messages, including the one that did not fit, by the handler's snapshot.
// Returns false if there is none, or if the last one is not all sent.
bool WebsocketSession::send_snapshot() {
  if (std::exchange(catching_up_, true)) {
    return false;
  }
  const std::vector<SharedPayload> texts = handler_->snapshot(outgoing_.messages() + 1);
  if (texts.empty()) {
    return false;
  }
  outgoing_.clear();
  for (const SharedPayload& text : texts) {
    outgoing_.push({text, std::nullopt, /*counted=*/false});
  }
  metrics_.snapshot_sent();
  may_write_.notify();
  return true;
}

void WebsocketSession::disconnect_slow_consumer() {
  const Error error{ErrorCode::kSlow, "the client reads too slowly: more than " +
                                          std::to_string(limits_.outgoing_messages) +
                                          " messages or " + std::to_string(limits_.outgoing_bytes) +
                                          " bytes were waiting"};
  metrics_.error(error.code);
  log(LogLevel::kInfo, "Slow consumer disconnected", {{"error", error.message}});
  outgoing_.clear();
  outgoing_.push({share(error), std::nullopt, false});
  outgoing_.push({share(protocol::Bye{protocol::ByeReason::kSlow}), std::nullopt, false});
  end(protocol::close_code(error.code));
  // Posted, as the caller may be in the middle of a method of the handler.
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->report_close(); });
}

void WebsocketSession::end(std::uint16_t close_code) {
  if (ended_) {
    return;
  }
  ended_ = true;
  close_code_ = close_code;
  close_by_ = Clock::now() + kCloseTime;
  may_write_.notify();
  may_read_.notify();
  watch_.notify();
}

OutgoingText WebsocketSession::pop_message() {
  OutgoingText message = outgoing_.pop();
  if (message.triggered_at) {
    metrics_.write_delay(Clock::now() - *message.triggered_at);
  }
  return message;
}

asio::awaitable<void> WebsocketSession::write_messages() {
  error_code error;
  while (!aborted_ && !error && !(ended_ && outgoing_.empty())) {
    if (outgoing_.empty()) {
      catching_up_ = false;
      co_await may_write_.wait();
      continue;
    }
    OutgoingText message = pop_message();
    while (!outgoing_.empty() && socket_.next_layer().add_text(*message.text)) {
      outgoing_.written(message);
      message = pop_message();
    }
    writing_since_ = Clock::now();
    co_await socket_.async_write(asio::buffer(*message.text),
                                 asio::redirect_error(asio::use_awaitable, error));
    writing_since_.reset();
    outgoing_.written(message);
    if (may_read()) {
      may_read_.notify();
    }
  }
  if (!aborted_ && !error) {
    co_await socket_.async_close(websocket::close_reason(close_code_),
                                 asio::redirect_error(asio::use_awaitable, error));
  }
  abort();
}

// --- time ---

asio::awaitable<void> WebsocketSession::watch() {
  while (!aborted_) {
    const TimePoint due = next_watch();
    co_await watch_.wait(due);
    const TimePoint now = Clock::now();
    if (now - due >= kHeldUp) {
      last_received_ = now;  // the peer could not answer, as no ping was sent meanwhile
    }
    watch_once(now);
  }
}

TimePoint WebsocketSession::next_watch() const {
  if (ended_) {
    return close_by_;
  }
  const Clock::duration idle = to_duration(Seconds(limits_.idle_seconds));
  const TimePoint next = std::max(last_received_, pinged_) + idle / 3;
  return std::min(next, handler_->deadline().value_or(TimePoint::max()));
}

void WebsocketSession::watch_once(TimePoint now) {
  if (ended_) {
    if (now >= close_by_) {
      abort();
    }
    return;
  }
  if (aborted_) {
    return;
  }
  if (const std::optional<TimePoint> deadline = handler_->deadline();
      deadline && now >= *deadline) {
    handler_->on_deadline(now);
  }
  const Clock::duration idle = to_duration(Seconds(limits_.idle_seconds));
  if (!may_read()) {
    last_received_ = now;  // the peer may have sent frames that are not read yet
  }
  if (writing_since_ && now - *writing_since_ >= idle) {
    disconnect_slow_consumer();
  } else if (now - last_received_ >= idle) {
    log(LogLevel::kInfo, "Connection timed out", {{"seconds", limits_.idle_seconds}});
    abort();
  } else if (now >= std::max(last_received_, pinged_) + idle / 3) {
    ping();
  }
}

void WebsocketSession::ping() {
  pinged_ = Clock::now();
  if (!std::exchange(ping_in_flight_, true)) {
    socket_.async_ping({},
                       [self = shared_from_this()](error_code) { self->ping_in_flight_ = false; });
  }
}

// --- the end ---

// The probe reports a close of the peer even before earlier messages are read, as after a
// suspension of this process.
Connection::PeerCloseProbe WebsocketSession::peer_close_probe() {
  const auto socket =
      std::make_shared<const SocketCopy>(beast::get_lowest_layer(socket_).socket().native_handle());
  return [socket] { return socket->peer_has_closed(); };
}

// Closes the socket, which ends all three coroutines.
void WebsocketSession::abort() {
  if (!std::exchange(aborted_, true)) {
    beast::get_lowest_layer(socket_).close();
    report_close();
    may_write_.notify();
    may_read_.notify();
    watch_.notify();
  }
}

void WebsocketSession::report_close() {
  if (!std::exchange(close_reported_, true)) {
    handler_->on_close(closed_by_peer_);
  }
}

}  // namespace surtitle
