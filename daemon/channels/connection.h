// A connection as those who talk over it see it, without its socket.
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

// One message, serialised once for all who get it.
using SharedText = std::shared_ptr<const std::string>;

struct OutgoingText {
  SharedText text;
  std::optional<TimePoint> cause =
      std::nullopt;          // measured from then to the moment it is handed to the socket
  bool counted = true;       // against the limits of the outgoing queue
  bool dispensable = false;  // left out where a quarter of those limits is taken
};

// The socket's side.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // Queues a message; one that is dispensable may be left out. Where the queue's limits are passed
  // the handler's catch_up() may replace it, once until all of that is sent; else the reader is
  // told that it is too slow and dropped, and its handler hears closed(), but for one that
  // only_answers(). Ignored after end().
  virtual void send(OutgoingText message) = 0;

  // Closes with this code once everything queued is sent.
  virtual void end(std::uint16_t close_code) = 0;

  // Checks may_read() and deadline() of the handler again. To be called if they may have changed
  // outside the handler's own calls.
  virtual void wake() = 0;

  // Whether the peer has gone, though what it said before may not be read yet. Callable from any
  // thread, also after closed().
  using Gone = std::function<bool()>;
  virtual Gone peer_has_left() = 0;
};

// The other side: what is said on a connection. Calls come one at a time, opened() first, closed()
// last.
class ConnectionHandler {
 public:
  ConnectionHandler() = default;
  ConnectionHandler(const ConnectionHandler&) = delete;
  ConnectionHandler& operator=(const ConnectionHandler&) = delete;
  virtual ~ConnectionHandler() = default;

  // `connection` outlives closed().
  virtual void opened(Connection& connection) = 0;

  // A whole text message, valid UTF-8.
  virtual void received(std::string_view text, TimePoint now) = 0;

  // The peer broke a rule of messages as such. The handler says goodbye.
  virtual void broken(const protocol::Error& error) = 0;

  // If false, nothing more is read from the peer until wake().
  virtual bool may_read() const = 0;

  // Whether all that it says follows from what was read. Then that ends by itself where nothing
  // more is read, as from a peer that does not read either, and is never too much.
  virtual bool only_answers() const { return false; }

  // When deadline_passed() is to be called, if at all.
  virtual std::optional<TimePoint> deadline() const = 0;
  virtual void deadline_passed(TimePoint now) = 0;

  // The peer reads too slowly: its queue is full and holds so many messages. What is returned takes
  // their place; nothing: the connection is dropped.
  virtual std::vector<SharedText> catch_up(int /*skipped*/) { return {}; }

  // The connection is over, whoever ended it. Nothing may be sent. `on_purpose`: the peer closed it
  // and said so, by a close code of normal or none.
  virtual void closed(bool on_purpose) noexcept = 0;
};

inline SharedText share(const protocol::ServerMessage& message) {
  return std::make_shared<const std::string>(protocol::to_json(message));
}

// An error, without its sentence where there is no memory for that.
inline protocol::Error spare_error(protocol::ErrorCode code, std::string_view begin,
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
