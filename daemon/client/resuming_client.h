// A sender's stream that outlives its connection: where that is cut, it comes back, says who it is
// and goes on. What the daemon has not acknowledged is sent again; what was said meanwhile is told,
// once.
//
// It gives up after the time that the daemon waits for its senders. Where the daemon keeps no
// journal, the stream ends with its connection. open() first; after that one coroutine may read()
// while another one send()s, as with Client.
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

struct SteadyOptions {
  Url url;
  protocol::Start start;
  // Told, in a sentence, what becomes of the connection.
  std::function<void(const std::string&)> warn;
  std::chrono::milliseconds idle{20000};  // without any sign of the daemon it is cut
};

class SteadyClient : public std::enable_shared_from_this<SteadyClient> {
 public:
  struct Told {
    protocol::ServerMessage message;
    std::string_view text;  // as it came; lives until the next read()
  };

  SteadyClient(const asio::any_io_executor& executor, SteadyOptions options);

  // Connects and says start. Throws as Client's. REQUIRES: owned by a shared_ptr.
  asio::awaitable<void> open();

  // Takes a message, which gets a seq of its own, and sends it as soon as there is a connection.
  // Done when no more than limits.queued_words wait to be acknowledged. False once the stream is
  // over. REQUIRES: read() gave `ready`.
  asio::awaitable<bool> send(const protocol::ClientMessage& message);

  // The next message as StreamOutcome::receive() has it, but for those that only concern a cut;
  // nothing once the stream is over.
  asio::awaitable<std::optional<Told>> read();

  // After that: as StreamOutcome's, and where a cut cost something.
  std::optional<std::string> failure() const;

  // Leaves the stream; what waits in read() and send() returns.
  void close();

 private:
  asio::awaitable<bool> come_back();
  asio::awaitable<bool> try_again(TimePoint lost_at);
  void go_on(const protocol::Ready& ready, TimePoint lost_at);
  void take_notice(const protocol::ServerMessage& message);
  void begin_writing();
  asio::awaitable<void> write();
  asio::awaitable<void> leave();
  asio::awaitable<void> wait(asio::steady_timer& timer);
  std::string connection() const { return "the connection to " + options_.url.text; }
  std::string ending() const;

  const asio::any_io_executor executor_;
  const SteadyOptions options_;
  std::shared_ptr<Client> client_;
  asio::steady_timer work_;   // for write()
  asio::steady_timer room_;   // for send()
  asio::steady_timer pause_;  // before the next try

  std::optional<protocol::Resumption> resume_;  // once ready, where it may come back
  std::string stream_;
  int queued_words_ = 0;
  UnackedQueue unacked_;
  std::int64_t event_ = 0;  // of the last message
  StreamOutcome outcome_;

  bool connected_ = false;
  std::string why_;       // it was cut
  std::string problem_;   // with the last try to come back
  std::string cost_;      // of cuts: what the daemon has lost
  bool gave_up_ = false;  // to come back
  bool ended_ = false;    // the daemon said so
  bool closed_ = false;   // close() did
  bool over_ = false;     // either, or the connection is gone for good
};

}  // namespace surtitle
