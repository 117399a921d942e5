// A WebSocket connection without its socket, and the handler of its messages.
//
// Thread-safety: none; everything runs on the network thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

// One message, serialised once for all receivers.
using SharedPayload = std::shared_ptr<const std::string>;

struct OutgoingText {
  SharedPayload text;
  // If set, the delay from this time to the write to the socket is measured.
  std::optional<TimePoint> triggered_at = std::nullopt;
  bool counted = true;     // against the limits of the outgoing queue
  bool droppable = false;  // left out if a quarter of those limits is used
};

// A connection as its handler sees it.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // Queues a message; a droppable one may be left out. If the queue's limits are exceeded, the
  // handler's snapshot() replaces its contents. Without a snapshot, or while the last one is not
  // all sent, the peer is disconnected as a slow consumer, and on_close() is called. A handler
  // that is_self_limiting() is exempt. Ignored after end().
  virtual void send(OutgoingText message) = 0;

  // Closes with this code once all queued messages are sent.
  virtual void end(std::uint16_t close_code) = 0;

  // Checks may_read() and deadline() of the handler again. Call if they may have changed outside
  // the handler's methods.
  virtual void wake() = 0;

  // Returns true if the peer has closed the connection, even if earlier messages are not read yet.
  // It may be called from any thread, also after on_close().
  using PeerCloseProbe = std::function<bool()>;
  virtual PeerCloseProbe peer_close_probe() = 0;
};

// Handles the messages of a connection. Calls are made one at a time, on_open() first, on_close()
// last.
class ConnectionHandler {
 public:
  ConnectionHandler() = default;
  ConnectionHandler(const ConnectionHandler&) = delete;
  ConnectionHandler& operator=(const ConnectionHandler&) = delete;
  virtual ~ConnectionHandler() = default;

  // `connection` outlives on_close().
  virtual void on_open(Connection& connection) = 0;

  // Handles a whole text message, which is valid UTF-8.
  virtual void on_message(std::string_view text, TimePoint now) = 0;

  // The peer broke a rule of framing or encoding. The handler sends the error and ends the
  // connection.
  virtual void on_protocol_error(const protocol::Error& error) = 0;

  // If it returns false, reading from the peer stops until wake().
  virtual bool may_read() const = 0;

  // Returns true if the handler sends only answers to messages that were read. Its output then ends
  // once reading stops, and it is exempt from the limit for slow consumers.
  virtual bool is_self_limiting() const { return false; }

  // When on_deadline() is to be called, or nullopt.
  virtual std::optional<TimePoint> deadline() const = 0;
  virtual void on_deadline(TimePoint now) = 0;

  // Returns messages in place of the queued ones, as the peer is a slow consumer and its queue is
  // full. `skipped`: how many they replace. If there are none, the peer is disconnected.
  virtual std::vector<SharedPayload> snapshot(int /*skipped*/) { return {}; }

  // Either side has closed the connection. No messages may be sent. `on_purpose`: the peer closed
  // it with the close code 1000 or none.
  virtual void on_close(bool on_purpose) noexcept = 0;
};

inline SharedPayload share(const protocol::ServerMessage& message) {
  return std::make_shared<const std::string>(protocol::to_json(message));
}

// Returns an error, without its message if there is no memory for that.
inline protocol::Error make_error_noexcept(protocol::ErrorCode code, std::string_view begin,
                                           std::string_view rest = {}) noexcept {
  protocol::Error error{code, {}};
  try {
    error.message.append(begin).append(rest);
  } catch (const std::bad_alloc&) {
    error.message.clear();
  }
  return error;
}

// Sends an error and bye, and closes with the error's code. If memory runs out, it only closes.
inline void send_error_and_close(Connection& connection, const protocol::Error& error,
                                 protocol::ByeReason reason = protocol::ByeReason::kError) {
  try {
    connection.send({share(error)});
    connection.send({share(protocol::Bye{reason})});
  } catch (const std::bad_alloc&) {
  }
  connection.end(protocol::close_code(error.code));
}

}  // namespace surtitle
