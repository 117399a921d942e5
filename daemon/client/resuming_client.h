// A client whose stream outlives its connection. After a cut it reconnects and resumes the stream:
// it sends again what the daemon has not acknowledged, and receives once what it has missed.
//
// It gives up after the time that the daemon waits for its senders. Without a journal in the
// daemon, the stream ends with its connection. Call open() first; after that one coroutine may
// read() while another one calls send(), as with Client.
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
  Url url;
  protocol::Start start;
  // Receives, in a sentence, what becomes of the connection.
  std::function<void(const std::string&)> warn;
  std::chrono::milliseconds idle{20000};  // without any frame of the daemon, the connection is cut
};

class ResumingClient : public std::enable_shared_from_this<ResumingClient> {
 public:
  struct Received {
    protocol::ServerMessage message;
    std::string_view text;  // as it came; lives until the next read()
  };

  ResumingClient(const asio::any_io_executor& executor, ResumingClientOptions options);

  // Connects and sends start. Throws as Client's. REQUIRES: owned by a shared_ptr.
  asio::awaitable<void> open();

  // Queues a message with a seq of its own; it is sent as soon as there is a connection. Completes
  // once no more than limits.queued_words wait for acknowledgement. Returns false if the stream is
  // over. REQUIRES: read() returned `ready`.
  asio::awaitable<bool> send(const protocol::ClientMessage& message);

  // Returns the next message as StreamOutcome::receive() has it, without those that only concern a
  // cut, or nullopt if the stream is over.
  asio::awaitable<std::optional<Received>> read();

  // After that: as StreamOutcome's, or the data that a cut has lost.
  std::optional<std::string> failure() const;

  // Closes the connection; pending calls of read() and send() return.
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
  asio::steady_timer pause_;  // before the next try

  std::optional<protocol::Resumption> resume_;  // once ready, if the stream can be resumed
  std::string stream_;
  int queued_words_ = 0;
  UnackedQueue unacked_;
  std::int64_t event_ = 0;  // of the last message
  StreamOutcome outcome_;

  bool connected_ = false;
  std::string why_;        // it was cut
  std::string problem_;    // with the last try to reconnect
  std::string data_loss_;  // what the daemon has lost at a cut
  bool gave_up_ = false;   // reconnecting
  bool ended_ = false;     // the daemon said so
  bool closed_ = false;    // close() did
  bool over_ = false;      // either, or the connection is gone for good
};

}  // namespace surtitle
