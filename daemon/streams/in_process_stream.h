// A sender without a socket, which translates requests over HTTP.
//
// Its stream is served like any other. Its sentences end by punctuation, end_sentence() and
// finish(), not by silence.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/channels/connection.h"
#include "daemon/net/async_event.h"
#include "daemon/streams/stream_registry.h"
#include "daemon/streams/stream_sender.h"

namespace surtitle {

class InProcessStream : private Connection {
 public:
  // `client`: the client that made the request; see StreamSender.
  InProcessStream(StreamRegistry& streams, const protocol::Start& start,
                  const asio::any_io_executor& executor,
                  std::shared_ptr<AuthenticatedClient> client);
  ~InProcessStream() override;

  // Sends complete words in as many messages as needed, and waits while the stream is full. Returns
  // early if the stream is over.
  asio::awaitable<void> send_source(const std::string& text);
  void end_sentence() { send_to_stream(protocol::EndSentence()); }
  void finish() { send_to_stream(protocol::Finish()); }

  // Waits for a message; returns nullopt once the stream is over.
  asio::awaitable<std::optional<protocol::ServerMessage>> next();

  bool has_message() const noexcept { return !messages_.empty(); }

  // Sets a callback that is called once, when the stream is over. It must not destroy this object.
  void when_over(std::function<void()> over) { when_over_ = std::move(over); }

  // The error that ended the stream, if any.
  const std::optional<protocol::Error>& error() const noexcept { return error_; }

  // Waits until all words so far are translated as far as the policy allows, or the stream is over.
  asio::awaitable<void> wait_idle();

 private:
  void send_to_stream(const protocol::ClientMessage& message);

  void send(OutgoingText message) override;
  void end(std::uint16_t close_code) override;
  void wake() override { changed_.notify(); }
  PeerCloseProbe peer_close_probe() override {
    return [] { return false; };
  }

  StreamSender sender_;
  AsyncEvent changed_;
  std::deque<protocol::ServerMessage> messages_;
  std::optional<protocol::Error> error_;
  std::int64_t seq_ = 0;
  bool over_ = false;
  std::function<void()> when_over_;
};

}  // namespace surtitle
