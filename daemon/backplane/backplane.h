// What replicas of the daemon share through Redis: streams that go on on another replica, and
// channels that are watched on any. See daemon/README.md.
//
// Thread-safety: the network thread's own; what the journal's and its own threads find is posted
// there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/backplane/channel_follower.h"
#include "daemon/backplane/log_tailer.h"
#include "daemon/backplane/ownership_manager.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

class Hub;
class LocalStore;

class Backplane {
 public:
  using Post = std::function<void(std::function<void()>)>;

  Backplane(Hub& hub, BackplaneOptions options, Post post);
  Backplane(const Backplane&) = delete;
  Backplane& operator=(const Backplane&) = delete;
  ~Backplane();

  // Returns a store that replicates what it writes to `local`. Destroy it before the backplane.
  std::unique_ptr<JournalStore> replicate(std::unique_ptr<LocalStore> local);
  // Drops streams that moved to other replicas from `left`, which an earlier process of this
  // replica left, and returns their names. Waits for Redis, no longer than its timeout.
  std::vector<std::string> drop_moved_streams(std::vector<StreamSummary>& left);
  // Starts to take part.
  void begin();

  bool up() const noexcept { return health_.up(); }
  bool membership_stable() const noexcept { return health_.membership_stable(); }

  // Claims a stream, wherever it is, unless `cancelled` returns true by then; it is called on
  // another thread. `done` is called with the result, but not after the backplane is destroyed, and
  // maybe not for a cancelled request.
  void resume(const protocol::Resume& resume, std::function<bool()> cancelled,
              std::function<void(ClaimResult::Status)> done);
  void publish_detached(const std::string& channel, const std::string& stream, bool detached);
  void stop_adopting();

  // As ChannelFollower's.
  void follow(const std::string& channel, std::function<void(bool all)> ready);
  void leave(const std::string& channel);

  // A stream runs here under this fence (0: not known); its channel shows it; it has ended here.
  void register_stream(const std::string& stream, std::int64_t fence);
  void on_channel_published(const std::string& channel);
  void unregister_stream(const std::string& stream);
  void on_stream_moved(const std::string& channel, const std::string& stream);
  // A stream that was claimed under this fence cannot continue in this process.
  void unclaim(const std::string& stream, std::int64_t fence);

 private:
  void on_ownership_lost(const std::string& stream, std::int64_t fence, bool failed_over);
  bool go_on(const ClaimResult& claim);

  Hub& hub_;
  const Post post_;
  RedisHealth health_;
  std::map<std::string, std::int64_t> fences_;  // of streams that run here
  std::unique_ptr<OwnershipManager> ownership_;
  std::unique_ptr<LogTailer> tailer_;
  std::optional<ChannelFollower> follower_;
};

}  // namespace surtitle
