// A client whose stream outlives its connection.
//
// After a cut, the client reconnects and resumes the stream. It resends the messages that the
// daemon has not acknowledged, and receives each missed message exactly once. It stops retrying
// after Resumption::seconds, when the daemon has ended the detached stream. If the daemon has no
// journal, the stream ends with its connection.
//
// Call open() first. Then one coroutine may read() while another one calls send(), as with Client.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/clock.h"
#include "daemon/client/client.h"
#include "daemon/client/stream_outcome.h"
#include "daemon/client/unacked_queue.h"

namespace surtitle {

struct ResumingClientOptions {
  WebSocketUrl url;
  protocol::Start start;
  // Receives changes of the connection, one sentence each.
  std::function<void(const std::string&)> warn;
  // After this time without a frame from the daemon, the connection is cut.
  std::chrono::milliseconds idle{20000};
};

class ResumingClient : public std::enable_shared_from_this<ResumingClient> {
 public:
  struct Received {
    protocol::ServerMessage message;
    std::string_view text;  // as received; valid until the next read()
  };

  ResumingClient(const asio::any_io_executor& executor, ResumingClientOptions options);

  // Connects and sends start. Throws as Client::connect() does. REQUIRES: owned by a shared_ptr.
  asio::awaitable<void> open();

  // Queues a message with a seq of its own. It is sent as soon as the connection is open. Completes
  // when at most limits.queued_words words wait for acknowledgement. Returns false if the stream is
  // over. REQUIRES: read() returned `ready`.
  asio::awaitable<bool> send(const protocol::ClientMessage& message);

  // Returns the next message, or nullopt if the stream is over. Acknowledgements, metrics and the
  // messages of a resumption are not returned.
  asio::awaitable<std::optional<Received>> read();

  // After the end of the stream: returns StreamOutcome::failure(), else the data loss that the
  // daemon reported at a resumption, or nullopt if there was neither.
  std::optional<std::string> failure() const;

  // Closes the connection. Pending calls of read() and send() return.
  void close();

 private:
  asio::awaitable<bool> reconnect();
  asio::awaitable<bool> try_again(TimePoint lost_at);
  void on_resumed(const protocol::Ready& ready, TimePoint lost_at);
  void on_message(const protocol::ServerMessage& message);
  void begin_writing();
  asio::awaitable<void> write();
  asio::awaitable<void> leave();
  asio::awaitable<void> wait(asio::steady_timer& timer);
  std::string connection() const { return "the connection to " + options_.url.text; }
  std::string close_description() const;

  const asio::any_io_executor executor_;
  const ResumingClientOptions options_;
  std::shared_ptr<Client> client_;
  asio::steady_timer work_;   // for write()
  asio::steady_timer room_;   // for send()
  asio::steady_timer pause_;  // before the next attempt to reconnect

  std::optional<protocol::Resumption> resume_;  // once ready, if the stream can be resumed
  std::string stream_;
  int queued_words_ = 0;
  UnackedQueue unacked_;
  std::int64_t event_ = 0;  // of the last message
  StreamOutcome outcome_;

  bool connected_ = false;
  std::string why_;                   // reason of the last cut
  std::string problem_;               // error of the last attempt to reconnect
  std::string data_loss_;             // warning of the daemon at a resumption; empty: none
  bool reconnect_timed_out_ = false;  // the time to reconnect has passed
  bool ended_ = false;                // by the daemon: bye, or an error
  bool closed_ = false;               // by close()
  bool over_ = false;                 // no further message is sent or received
};

}  // namespace surtitle
