// Shows channels whose sender is on another replica: publishes the events of the log tailer to the
// channel registry, and so to the viewers.
//
// A channel is followed once for all of its viewers here, as long as there are any. Its assignment
// log says which stream has the channel, and that a stream of this replica has moved to another.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <cstdint>
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
    // The fence of a stream that runs here, 0 where it is not known; nothing where it does not run.
    std::function<std::optional<std::int64_t>(const std::string& stream)> fence;
    // It continues on another replica. `failed_over`: without its sender.
    std::function<void(const std::string& stream, bool failed_over)> on_ownership_lost;
  };
  ChannelFollower(LogTailer& tailer, ChannelRegistry& channels, Host host);
  ChannelFollower(const ChannelFollower&) = delete;
  ChannelFollower& operator=(const ChannelFollower&) = delete;
  ~ChannelFollower() = default;

  // Somebody wants to see the channel; `ready` is called, soon or at once: whether all that was
  // said there is known, or it cannot be for now. As often as leave().
  void follow(const std::string& channel, std::function<void(bool all)> ready);
  void leave(const std::string& channel);

  // The stream runs here from now on.
  void begin_here(const std::string& channel);
  // A stream that ran here continues on another replica.
  void on_stream_moved(const std::string& channel, const std::string& stream);

  void on_event(const TailerEvent& event);  // but for HeartbeatRequested and StreamClaimed

 private:
  // A stream that is over, and its channel's last one is known already.
  struct Before {
    explicit Before(std::string name) : stream(std::move(name)), transcript(kBefore) {}
    std::string stream;
    std::vector<protocol::Track> tracks;
    Transcript transcript;
  };
  struct Followed {
    int wanted = 0;
    bool loaded = false;
    bool unreadable = false;
    std::vector<std::function<void(bool all)>> waiting;
    std::string stream;  // that is read, "" none
    std::vector<protocol::Track> tracks;
    std::optional<Before> before;  // while it is read
    // Its stream was on the channel before, and has said nothing new yet: nobody is told that it
    // comes.
    bool quiet = false;
  };
  static constexpr std::size_t kBefore = 500;  // sentences

  void on_event(const AssignmentsRead& assignments);
  void on_event(const EntriesRead& entries);
  void on_event(const ChannelUnreadable& unreadable);
  void on_event(const TailerUnavailable& away);
  void on_event(const HeartbeatRequested& /*asked*/) {}
  void on_event(const StreamClaimed& /*taken*/) {}
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
  void claim(const std::string& channel, Followed& followed, const std::string& stream);
  bool is_shown(const std::string& channel, const std::string& stream) const;

  LogTailer& tailer_;
  ChannelRegistry& channels_;
  const Host host_;
  std::map<std::string, Followed> followed_;
  // To be called once nothing of followed_ is in use: who is ready may leave.
  std::vector<std::pair<std::function<void(bool all)>, bool>> ready_;
};

}  // namespace surtitle
