// What a stream says: to its sender, over whichever connection that has now, and to the viewers of
// its channel.
//
// The last messages are kept for a sender who was away. Source words wait for a moment for what is
// written for them: to thousands of viewers every message costs.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "daemon/channels/connection.h"
#include "daemon/streams/hub.h"
#include "daemon/translation/translation_track.h"

namespace surtitle {

// How a stream ended, as its sender hears it.
struct Farewell {
  protocol::ByeReason reason = protocol::ByeReason::kFinished;
  std::optional<protocol::Error> error = {};
};

class StreamVoice {
 public:
  StreamVoice(Hub& hub, Connection* connection) : hub_(hub), connection_(connection) {}
  StreamVoice(const StreamVoice&) = delete;
  StreamVoice& operator=(const StreamVoice&) = delete;
  ~StreamVoice() = default;

  // --- the channel ---
  // Keeps it for this stream. REQUIRES: no stream of this replica has it.
  void reserve(const std::string& channel, const std::string& stream);
  // Its viewers are shown this stream from now on; nothing without a channel.
  void claim(const std::string& stream, std::vector<protocol::Track> tracks);
  void update(std::vector<protocol::Track> tracks);
  // Gives the channel back, if there is one; what waits is shown first by show_held().
  void release();
  // As release(), where the stream goes on on another replica, or with the next process.
  void hand_over();
  const std::optional<std::string>& channel() const noexcept { return channel_; }

  // --- the sender ---
  bool attached() const noexcept { return connection_ != nullptr; }
  bool is_carried_by(const Connection& connection) const { return connection_ == &connection; }
  // On this connection from now on; who had it is told.
  void attach(Connection& connection, TimePoint now);
  void detach() noexcept { connection_ = nullptr; }
  // One sentence where not all that came after this event is kept.
  std::optional<std::string> missing_after(std::int64_t event) const;
  // Tells a sender who comes back what it does not know. REQUIRES: attached().
  void tell_again(const protocol::Ready& ready, std::int64_t event);
  // At the end; nothing where nobody listens.
  void say(const Farewell& farewell);
  void close(std::uint16_t code);                                  // likewise, without a word
  std::uint64_t bytes_out() const noexcept { return bytes_out_; }  // of messages delivered

  // --- both ---
  void deliver(const Outgoing& outgoing);
  void show_held();
  // When tick() has something to do, if at all.
  std::optional<TimePoint> deadline() const;
  void tick(TimePoint now);
  // Whoever keeps the time for the stream, and reads for it, looks again.
  void reconsider();

 private:
  struct Shown {
    protocol::ServerMessage message;
    SharedText text;
  };
  struct Recent {
    std::int64_t event;
    std::int64_t before;  // the event of the one before it; 0: none
    SharedText text;
    TimePoint said;
  };

  void remember(std::int64_t event, const SharedText& text);
  void show(const protocol::ServerMessage& message, const SharedText& text);
  bool viewers_changed() const;
  void tell_viewers(TimePoint now);

  Hub& hub_;
  Connection* connection_;
  std::uint64_t bytes_out_ = 0;
  std::optional<std::string> channel_;
  bool claimed_ = false;  // else reserved

  bool greeted_ = false;       // ready is said
  std::int64_t acked_ = 0;     // the last seq that was acknowledged
  std::deque<Recent> recent_;  // what the sender may have missed

  std::vector<Shown> held_;  // source words
  TimePoint held_until_;

  int viewers_ = 0;         // of the channel, as the sender was told
  TimePoint viewers_told_;  // when
};

}  // namespace surtitle
