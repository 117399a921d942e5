// The connection of this replica to the others through Redis: ownership, replication, channels.
//
// It claims streams of other replicas, replicates the journal, and follows channels whose sender is
// on another replica. README.md of this folder describes the protocol.
//
// Thread-safety: none; owned by the network thread. Results of the journal's thread and of the
// backplane's own threads are posted to it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/backplane/backplane_host.h"
#include "daemon/backplane/channel_follower.h"
#include "daemon/backplane/claim_request.h"
#include "daemon/backplane/contested_streams.h"
#include "daemon/backplane/log_tailer.h"
#include "daemon/backplane/ownership_manager.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

class LocalStore;

class Backplane {
 public:
  // Queues a function for the network thread. May be called from any thread.
  using Post = std::function<void(std::function<void()>)>;

  // REQUIRES: `host`, `channels` and `metrics` outlive this object.
  Backplane(BackplaneHost& host, ChannelRegistry& channels, DaemonMetrics& metrics,
            BackplaneOptions options, Post post);
  Backplane(const Backplane&) = delete;
  Backplane& operator=(const Backplane&) = delete;
  ~Backplane();

  // Returns a store that writes to `local` and replicates all entries. REQUIRES: it is destroyed
  // before the backplane.
  std::unique_ptr<JournalStore> replicate(std::unique_ptr<LocalStore> local);
  // `left`: the streams that an earlier process of this replica left in the journal. Removes those
  // that other replicas own by now, and returns their names. Waits for Redis for at most its
  // timeout.
  std::vector<std::string> drop_moved_streams(std::vector<StreamSummary>& left);
  // Starts the heartbeats, the adoption of orphans and the tailer.
  void begin();

  bool available() const noexcept { return health_.available(); }
  bool membership_stable() const noexcept { return health_.membership_stable(); }

  // Claims a stream from its owner, if there is one. `done` receives the result on the network
  // thread, possibly before this returns. It is not called after the backplane is destroyed.
  //
  // `cancelled` is called on the ownership manager's thread. If it returns true, the stream is not
  // claimed, and `done` may not be called.
  void resume(const protocol::Resume& resume, std::function<bool()> cancelled,
              std::function<void(ClaimResult::Status)> done);
  // A sender resumed the stream here although its claim was answered with kUnavailable.
  void contest(const std::string& stream);
  void publish_detached(const std::string& channel, const std::string& stream, Detached detached);
  void stop_adopting();

  // See ChannelFollower.
  void follow(const std::string& channel, std::function<void(bool all)> ready);
  void leave(const std::string& channel);

  // The stream runs here under this fence; 0: unknown.
  void register_stream(const std::string& stream, Fence fence);
  // The channel has a sender of this replica.
  void on_channel_claimed(const std::string& channel);
  // The stream does not run here any more.
  void unregister_stream(const std::string& stream);
  // A stream that ran here continues on another replica.
  void on_stream_moved(const std::string& channel, const std::string& stream);
  // A stream that was claimed under this fence cannot continue in this process.
  void unclaim(const std::string& stream, Fence fence);

 private:
  void on_ownership_lost(const std::string& stream, Fence fence, bool failed_over);
  void on_ownership_confirmed(const std::string& stream, Fence fence);
  bool adopt(const ClaimResult& claim);

  BackplaneHost& host_;
  ChannelRegistry& channels_;
  const Post post_;
  RedisHealth health_;
  std::map<std::string, Fence> fences_;  // of streams that run here
  // Also streams that have ended here, until Redis has their end.
  ContestedStreams contested_;
  std::unique_ptr<OwnershipManager> ownership_;
  std::unique_ptr<LogTailer> tailer_;
  std::optional<ChannelFollower> follower_;
};

}  // namespace surtitle
