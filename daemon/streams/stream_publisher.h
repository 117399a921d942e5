// Sends a stream's messages to its sender and to the viewers of its channel.
//
// The last messages are kept for a sender that reconnects. Source words are held for up to 20 ms,
// until their translation follows. Viewers then receive both in one write, because with thousands
// of viewers the writes to sockets cost the most time.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "daemon/channels/connection.h"
#include "daemon/streams/server_context.h"
#include "daemon/streams/stream_end.h"
#include "daemon/streams/stream_owner.h"
#include "daemon/translation/translation_track.h"

namespace surtitle {

class StreamPublisher {
 public:
  StreamPublisher(ServerContext& server, StreamOwner& owner, Connection* connection)
      : server_(server), owner_(owner), connection_(connection) {}
  StreamPublisher(const StreamPublisher&) = delete;
  StreamPublisher& operator=(const StreamPublisher&) = delete;
  // Releases the channel, if the stream still has it.
  ~StreamPublisher();

  // --- the channel ---
  // Reserves the channel for this stream. REQUIRES: no stream of this replica has it.
  void reserve(const std::string& channel, const std::string& stream);
  // From now on the channel's viewers receive this stream. Ignored without a channel.
  void claim(StreamDescription stream);
  bool claimed() const noexcept { return claimed_; }
  void update(std::vector<protocol::Track> tracks);
  // Sets the time until which the stream waits for its lost sender; nullopt: it does not wait.
  void set_interrupted(std::optional<TimePoint> until);
  // Releases the channel, if there is one. Call flush_held_source() first.
  void release();
  // As release(), for a stream that continues on another replica or in the next process.
  void hand_off();
  const std::optional<std::string>& channel() const noexcept { return channel_; }

  // --- the sender ---
  bool attached() const noexcept { return connection_ != nullptr; }
  bool is_attached_to(const Connection& connection) const { return connection_ == &connection; }
  // Sends to this connection from now on; an earlier connection is closed with an error.
  void attach(Connection& connection, TimePoint now);
  void detach() noexcept { connection_ = nullptr; }
  // Returns a warning if some messages after this event are no longer kept, or nullopt.
  std::optional<std::string> missing_after(std::int64_t event) const;
  // Sends `ready`, and the messages after this event, to a sender that resumes. REQUIRES:
  // attached().
  void replay_missed(const protocol::Ready& ready, std::int64_t event);
  // Sends the end and closes the connection, if there is one.
  void send_end(const StreamEnd& stream_end);
  void close(std::uint16_t code);  // closes the connection, if there is one, without a message
  std::uint64_t bytes_out() const noexcept { return bytes_out_; }  // of messages delivered

  // --- both ---
  void deliver(const Outgoing& outgoing);
  void flush_held_source();
  // When on_deadline() is due, or nullopt.
  std::optional<TimePoint> deadline() const;
  void on_deadline(TimePoint now);
  // Wakes the connection, or wakes the owner: the stream's deadline may have changed.
  void wake();

 private:
  struct HeldMessage {
    protocol::ServerMessage message;
    SharedPayload text;
  };
  struct Recent {
    std::int64_t event;
    std::int64_t before;  // the event of the message before it; 0: none
    SharedPayload text;
    TimePoint sent_at;
  };

  void record_sent(std::int64_t event, const SharedPayload& text);
  void publish(const protocol::ServerMessage& message, const SharedPayload& text);
  bool viewers_changed() const;
  void send_viewer_count(TimePoint now);

  ServerContext& server_;
  StreamOwner& owner_;
  Connection* connection_;
  std::uint64_t bytes_out_ = 0;
  std::optional<std::string> channel_;
  bool claimed_ = false;  // false: reserved
  std::optional<TimePoint> interrupted_until_;

  bool ready_sent_ = false;
  std::int64_t acked_ = 0;     // the last seq that was acknowledged
  std::deque<Recent> recent_;  // messages that the sender may have missed

  std::vector<HeldMessage> held_;  // source words
  TimePoint held_until_;

  int viewers_ = 0;         // of the channel, as last sent to the sender
  TimePoint viewers_sent_;  // time of that message
};

}  // namespace surtitle
