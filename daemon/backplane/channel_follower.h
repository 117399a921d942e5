// Publishes the messages of senders on other replicas to the channel registry of this one.
//
// It receives the events of the log tailer. A channel is followed once for all of its viewers here,
// as long as there are any. Its assignment log contains the stream that has the channel. The log
// also shows that a stream of this replica has moved to another one.
//
// Thread-safety: none; owned by the network thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/backplane/log_tailer.h"
#include "daemon/channels/channel_registry.h"
#include "daemon/protocol/stream_log_format.h"

namespace surtitle {

class ChannelFollower {
 public:
  struct Host {
    // Returns the fence of a stream that runs here (0: unknown), or nullopt if it does not run
    // here.
    std::function<std::optional<Fence>(const std::string& stream)> fence;
    // The stream continues on another replica. `failed_over`: it was adopted without its sender.
    std::function<void(const std::string& stream, bool failed_over)> on_ownership_lost;
  };
  ChannelFollower(LogTailer& tailer, ChannelRegistry& channels, Host host);
  ChannelFollower(const ChannelFollower&) = delete;
  ChannelFollower& operator=(const ChannelFollower&) = delete;
  ~ChannelFollower() = default;

  // Adds a viewer of the channel. `ready` is called once, possibly before this returns. `all`: the
  // messages of the channel so far are known here; false if they cannot be read at the moment.
  void follow(const std::string& channel, std::function<void(bool all)> ready);
  // Removes a viewer. REQUIRES: follow() was called for it.
  void leave(const std::string& channel);

  // The channel has a sender of this replica from now on.
  void on_channel_claimed(const std::string& channel);
  // A stream that ran here continues on another replica.
  void on_stream_moved(const std::string& channel, const std::string& stream);

  void on_event(const TailerEvent& event);  // ignores HeartbeatRequested and StreamClaimed

 private:
  // The stream before the last one of a channel. It is read if the last one is known already.
  struct Before : TranscribedStream {
    explicit Before(std::string name) : TranscribedStream(kBefore), stream(std::move(name)) {}
    std::string stream;
  };
  struct Followed {
    int wanted = 0;  // viewers
    bool loaded = false;
    bool unreadable = false;
    std::vector<std::function<void(bool all)>> waiting;
    std::string stream;                          // the stream that is read; "": none
    StreamDescription description;               // as its head has it
    std::optional<TimePoint> interrupted_until;  // as in ChannelSender
    std::optional<Before> before;                // set while it is read
    // The viewers know all messages of the stream so far. They are not notified of a new sender
    // until it sends a new message.
    bool quiet = false;
  };
  static constexpr std::size_t kBefore = 500;  // sentences

  void on_event(const AssignmentsRead& assignments);
  void on_event(const EntriesRead& entries);
  void on_event(const ChannelUnreadable& unreadable);
  void on_event(const TailerUnavailable& unavailable);
  void on_event(const HeartbeatRequested& /*unused*/) {}
  void on_event(const StreamClaimed& /*unused*/) {}
  void begin(const std::string& channel, Followed& followed,
             const std::vector<redis_schema::ChannelAssignment>& assignments);
  void on_previous_entries(const EntriesRead& news, Followed& followed);
  void apply_assignment(const std::string& channel, Followed& followed,
                        const redis_schema::ChannelAssignment& assignment);
  void on_line(const std::string& channel, Followed& followed, const std::string& stream,
               const stream_log::Line& line, const std::string& text);
  void read(const std::string& channel, Followed& followed, const std::string& stream);
  void loaded(Followed& followed);
  void call_ready();
  void report_unknown(Followed& followed);
  void claim(const std::string& channel, Followed& followed);
  ChannelSender sender_of(const Followed& followed) const;
  bool is_shown(const std::string& channel, const std::string& stream) const;

  LogTailer& tailer_;
  ChannelRegistry& channels_;
  const Host host_;
  std::map<std::string, Followed> followed_;
  // Callbacks to call once followed_ is not in use, because they may call leave().
  std::vector<std::pair<std::function<void(bool all)>, bool>> ready_;
};

}  // namespace surtitle
