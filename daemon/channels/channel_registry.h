// The named channels: at most one sender each, any number of viewers.
//
// A channel remembers what was said (daemon/channels/transcript.h), so that a viewer who comes late
// sees where things stand, who was away for a moment is told what he missed, and who missed it all
// can read it afterwards. Viewers stay when the sender goes. What was said is kept until another
// sender comes, its end until one more comes, or until so many other channels have fallen silent
// that the oldest must go.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/channels/connection.h"
#include "daemon/channels/transcript.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

struct ChannelSender {
  std::string stream;
  std::vector<protocol::Track> tracks;  // at least one
  // Told that viewers came or went; may be empty. Must not change the registry.
  std::function<void()> viewers_changed = {};
  bool remote = false;  // on another replica: it gives way to one that is here
};

class ChannelViewer {
 public:
  ChannelViewer() = default;
  ChannelViewer(const ChannelViewer&) = delete;
  ChannelViewer& operator=(const ChannelViewer&) = delete;
  virtual ~ChannelViewer() = default;

  // Must not change the registry.
  virtual void deliver(const SharedPayload& message) noexcept = 0;
};

// The messages that a viewer is sent.
struct ViewFilter {
  std::optional<std::string> track = {};  // the only one, "" for the first; nullopt: all of them
  bool attention = false;                 // Attention messages as well
};

// How far a viewer has followed a channel.
struct ChannelPosition {
  std::string stream;
  std::int64_t event = 0;  // the last one that it was told; 0: none

  bool operator==(const ChannelPosition&) const = default;
};

// The messages after a viewer's position: first those of the stream that it knows, then those of
// the current stream, if another one has followed.
struct MissedMessages {
  std::optional<std::string> stream;    // nullopt if the channel has had no sender since
  std::vector<protocol::Track> tracks;  // empty then
  std::vector<protocol::ServerMessage> messages;
};

struct ChannelOptions {
  std::size_t sentences = 5000;          // finished ones of a channel that are kept
  std::size_t previous_sentences = 500;  // of the stream before the last one
  std::size_t missed = 4000;             // messages that a viewer who comes back is told
  std::size_t idle_channels = 16;        // channels without sender and viewer that are kept
};

class ChannelRegistry {
 public:
  explicit ChannelRegistry(ChannelOptions options = {}) : options_(options) {}

  // Keeps the channel for a stream of this replica that is about to claim it, so that no other one
  // of it does; false where it is taken already.
  bool reserve(const std::string& name, const std::string& stream);
  void unreserve(const std::string& name) noexcept;
  // Whether a stream of this replica has the channel, or is about to.
  bool is_taken(const std::string& name) const;

  // Makes the stream the channel's sender, and tells its viewers; false where there is one. The
  // stream that was the last one goes on where it was: nobody is told what he knows.
  bool claim(const std::string& name, ChannelSender sender);
  // The sender's tracks are others now. REQUIRES: claimed.
  void update(const std::string& name, std::vector<protocol::Track> tracks);
  // REQUIRES: claimed.
  void release(const std::string& name) noexcept;
  // The sender continues on another replica. REQUIRES: claimed.
  void hand_off(const std::string& name);
  // Drops a sender of another replica, without a message to the viewers; ignored if there is none.
  void release_remote(const std::string& name);

  // A message of the channel's sender to those viewers whom it concerns, unless it was published
  // before. REQUIRES: claimed.
  void publish(const std::string& name, const protocol::ServerMessage& message,
               const SharedPayload& text);

  void watch(const std::string& name, ChannelViewer& viewer, ViewFilter filter);
  void leave(const std::string& name, ChannelViewer& viewer) noexcept;
  int viewers(const std::string& name) const;

  std::optional<ChannelSender> sender(const std::string& name) const;

  // Sets the stream before the last one, as a log of another replica has it. REQUIRES: position().
  void set_previous_stream(const std::string& name, const std::string& stream,
                           std::vector<protocol::Track> tracks, Transcript transcript);
  // Returns the name of the stream before the last one, or "" if it is not known.
  std::string previous_stream(const std::string& name) const;

  // Returns nullptr if nothing is known of such a channel.
  const Transcript* transcript(const std::string& name) const;
  // Where a viewer stands who has all that was said there; nothing where nobody spoke, or the
  // stream keeps no count.
  std::optional<ChannelPosition> position(const std::string& name) const;

  // Returns the messages after this position, each once and in order: the rest of its stream, and
  // if another one has followed, the change and all of that. Returns nullopt if not all of it is
  // kept.
  std::optional<MissedMessages> missed_since(const std::string& name,
                                             const ChannelPosition& position,
                                             const std::optional<std::string>& track) const;

 private:
  // A stream, and the transcript of it.
  struct StreamTranscript {
    explicit StreamTranscript(std::size_t sentences) : transcript(sentences) {}

    std::string stream;
    std::vector<protocol::Track> tracks;
    Transcript transcript;
  };
  struct Channel {
    explicit Channel(std::size_t sentences) : current(sentences) {}

    std::optional<ChannelSender> sender;
    std::string reserved;  // for this stream; "": for none
    std::map<ChannelViewer*, ViewFilter> viewers;
    StreamTranscript current;
    std::optional<StreamTranscript> previous;
  };

  Channel& channel(const std::string& name);
  static void deliver_to_all(const Channel& channel, const SharedPayload& text);
  static void notify_sender(const Channel& channel);
  void forget_idle(const std::string& name) noexcept;

  const ChannelOptions options_;
  std::map<std::string, Channel> channels_;
  std::deque<std::string> idle_lru_;  // the channel that is idle the longest is the first
};

}  // namespace surtitle
