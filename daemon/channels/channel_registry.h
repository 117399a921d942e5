// The named channels: at most one sender and any number of viewers each.
//
// A channel keeps the transcript of its stream for late and returning viewers. Viewers stay when
// the sender leaves. When another stream claims the channel, the last sentences of the previous
// one are kept until the next claim.
//
// While a sender is lost and its stream waits for it, the channel is interrupted. An interruption
// is a state of the channel alone. It has no event and is not in the transcript, because a stream's
// journal does not know its connections. A limited number of channels without sender and viewers is
// kept (idle channels).
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/channels/connection.h"
#include "daemon/channels/transcript.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

struct ChannelSender : StreamDescription {
  // Called after the number of viewers has changed; may be empty. Must not change the registry.
  std::function<void()> viewers_changed = {};
  bool remote = false;  // on another replica: a sender of this replica may replace it
  // The time until which the stream waits for its lost sender; nullopt: the sender is connected.
  std::optional<TimePoint> interrupted_until = {};
};

class ChannelViewer {
 public:
  ChannelViewer() = default;
  ChannelViewer(const ChannelViewer&) = delete;
  ChannelViewer& operator=(const ChannelViewer&) = delete;
  virtual ~ChannelViewer() = default;

  // Sends a message to the viewer. Must not change the registry.
  virtual void deliver(const SharedPayload& message) noexcept = 0;
};

// Selects the messages that a viewer receives.
struct ViewFilter {
  std::optional<std::string> track = {};  // this track only, "" for the first; nullopt: all tracks
  bool attention = false;                 // true: also Attention messages
};

// How far a viewer has followed a channel.
struct ChannelPosition {
  std::string stream;
  std::int64_t event = 0;  // the last event that the viewer received; 0: none

  bool operator==(const ChannelPosition&) const = default;
};

// The messages after a viewer's position: those of its stream, then those of the current stream if
// it is another one.
struct MissedMessages {
  // The viewer's stream. nullopt: it is the channel's last one, and the channel has no sender.
  std::optional<std::string> stream;
  std::vector<protocol::Track> tracks;  // of `stream`
  std::vector<protocol::ServerMessage> messages;
  protocol::Heading heading = {};  // of the stream
};

struct ChannelOptions {
  std::size_t sentences = 5000;          // finished sentences that are kept of a channel
  std::size_t previous_sentences = 500;  // sentences that are kept of the previous stream
  std::size_t missed = 4000;       // missed messages that a returning viewer receives, at most
  std::size_t idle_channels = 16;  // idle channels that are kept
};

struct ChannelSummary {
  std::string name;
  bool live = false;                    // the channel has a sender
  std::vector<protocol::Track> tracks;  // of the current stream, or of the last one
  std::size_t sentences = 0;            // of its transcript
  int viewers = 0;
  protocol::Heading heading = {};  // of that stream
  bool interrupted = false;        // the stream waits for its sender
};

class ChannelRegistry {
 public:
  // `now` is the clock of ChannelSender::interrupted_until.
  explicit ChannelRegistry(
      ChannelOptions options = {}, std::function<TimePoint()> now = [] { return Clock::now(); })
      : options_(options), now_(std::move(now)) {}

  // Reserves the channel for a stream of this replica that will claim it. Returns false if
  // is_taken().
  bool reserve(const std::string& name, const std::string& stream);
  void unreserve(const std::string& name) noexcept;
  // Returns true if a stream of this replica has the channel or has reserved it.
  bool is_taken(const std::string& name) const;

  // Makes the stream the channel's sender and notifies the viewers. Returns false if a stream of
  // this replica is the sender already.
  //
  // If the channel's last stream continues, for example on another replica, its transcript is kept.
  // The viewers are then notified only if the channel had no sender. An interruption lasts until
  // set_interrupted().
  bool claim(const std::string& name, ChannelSender sender);
  // Sets the sender's tracks. REQUIRES: claimed.
  void update(const std::string& name, std::vector<protocol::Track> tracks);
  // Sets the time until which the stream waits for its lost sender; nullopt: the sender is back.
  // Notifies the viewers of a change. REQUIRES: claimed.
  void set_interrupted(const std::string& name, std::optional<TimePoint> until);
  // The sender has left; notifies the viewers. REQUIRES: claimed.
  void release(const std::string& name) noexcept;
  // The sender continues on another replica or in another process. REQUIRES: claimed.
  void hand_off(const std::string& name);
  // Drops a sender of another replica, without a message to the viewers; ignored if there is none.
  void release_remote(const std::string& name);

  // Adds a message of the sender to the transcript, and delivers it to the viewers whose filter
  // selects it. Ignores an event that was published before. REQUIRES: claimed.
  void publish(const std::string& name, const protocol::ServerMessage& message,
               const SharedPayload& text);

  void watch(const std::string& name, ChannelViewer& viewer, ViewFilter filter);
  void leave(const std::string& name, ChannelViewer& viewer) noexcept;
  int viewers(const std::string& name) const;

  std::optional<ChannelSender> sender(const std::string& name) const;
  // Returns the seconds that the channel's stream still waits for its sender, or nullopt if it does
  // not wait.
  std::optional<double> interrupted(const std::string& name) const;
  // Returns the channels that have a stream or had one, in the order of their names.
  std::vector<ChannelSummary> list() const;

  // Sets the stream before the current one, as read from Redis. REQUIRES: position() has a value.
  void set_previous_stream(const std::string& name, TranscribedStream previous);
  // Returns the name of the stream before the current one, or "" if it is not known.
  std::string previous_stream(const std::string& name) const;

  // Returns the streams that are kept of a channel, the current one last.
  std::vector<const TranscribedStream*> streams(const std::string& name) const;
  // Returns the transcript of the current stream, or nullptr if there is no such channel.
  const Transcript* transcript(const std::string& name) const;
  // Returns the position after the last message, or nullopt if the channel has had no stream or its
  // stream does not number its events.
  std::optional<ChannelPosition> position(const std::string& name) const;

  // Returns the messages after this position, each once and in order. If another stream has
  // followed, they include the change and all of its messages. Returns nullopt if not all are kept.
  std::optional<MissedMessages> missed_since(const std::string& name,
                                             const ChannelPosition& position,
                                             const std::optional<std::string>& track) const;

 private:
  struct Channel {
    explicit Channel(std::size_t sentences) : current(sentences) {}

    std::optional<ChannelSender> sender;
    std::string reserved;  // the stream that has reserved the channel, or ""
    std::map<ChannelViewer*, ViewFilter> viewers;
    TranscribedStream current;
    std::optional<TranscribedStream> previous;
  };

  Channel& channel(const std::string& name);
  static void deliver_to_all(const Channel& channel, const SharedPayload& text);
  static void notify_sender(const Channel& channel);
  std::optional<double> interrupted(const std::optional<ChannelSender>& sender) const;
  static protocol::State state_message(const TranscribedStream& current,
                                       std::optional<double> interrupted);
  void retire_if_idle(const std::string& name) noexcept;

  const ChannelOptions options_;
  const std::function<TimePoint()> now_;
  std::map<std::string, Channel> channels_;
  std::deque<std::string> idle_lru_;  // the longest idle channel first, which is dropped first
};

}  // namespace surtitle
