// Manages the ownership of streams on a thread of its own.
//
// It publishes heartbeats (HeartbeatPublisher), claims streams for senders (ClaimClient) and adopts
// orphans (OrphanScanner), all through one connection to Redis. README.md of this folder has the
// protocol.
//
// Thread-safety: all functions may be called from any thread. They queue tasks for the manager's
// thread, which run in order. Callbacks run on that thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "daemon/backplane/claim_client.h"
#include "daemon/backplane/claim_request.h"
#include "daemon/backplane/detached_publisher.h"
#include "daemon/backplane/heartbeat_publisher.h"
#include "daemon/backplane/history_loader.h"
#include "daemon/backplane/orphan_scanner.h"
#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_health.h"
#include "model/util/mutex.h"

namespace surtitle {

class OwnershipManager {
 public:
  // `here`: streams that this process restores from its journal. `orphan` is called with each
  // orphan that was claimed and read, and not again before next_orphan().
  OwnershipManager(RedisHealth& health, const std::set<std::string>& here, ClaimAnswer orphan);
  OwnershipManager(const OwnershipManager&) = delete;
  OwnershipManager& operator=(const OwnershipManager&) = delete;
  // Removes the heartbeat of this replica.
  ~OwnershipManager();

  // Claims a stream for a sender. Requests have priority over orphans.
  void claim(ClaimRequest request);
  // Publishes a heartbeat soon.
  void request_heartbeat();
  // Publishes that the stream of a channel is detached, or attached.
  void publish_detached(const std::string& channel, const std::string& stream, Detached detached);
  // Publishes again whether the stream is detached.
  void republish_detached(const std::string& stream);
  // The stream runs here.
  void register_stream(const std::string& stream);
  // The stream does not run here any more.
  void unregister_stream(const std::string& stream);
  // As unregister_stream(), but this replica may adopt the stream again.
  void reset_stream(const std::string& stream);
  // A stream that was claimed under this fence cannot continue here, and is left to other replicas.
  using Reclaim = OrphanScanner::Reclaim;
  void unclaim(const std::string& stream, Fence fence, Reclaim reclaim);
  // The last orphan runs here, or was left to other replicas.
  void next_orphan();
  // `full`: the replica has no room for orphans.
  void set_full(bool full);
  // The replica shuts down: it adopts no more orphans.
  void stop_adopting();

 private:
  using Task = std::function<void()>;

  void post(Task task);
  bool run_tasks();
  TimePoint next_round() const;
  void run();
  void run_round();
  void connect();

  RedisHealth& health_;

  Mutex mutex_;
  CondVar wake_;
  std::vector<Task> tasks_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;

  // Used by the manager's thread alone.
  std::unique_ptr<RedisConnection> redis_;
  TimePoint next_heartbeat_;
  bool heartbeat_requested_ = false;
  HeartbeatPublisher heartbeats_;
  DetachedPublisher detached_;
  OrphanScanner orphans_;
  HistoryLoader histories_;
  ClaimClient claims_;

  std::thread thread_;  // last, because it uses all other members
};

}  // namespace surtitle
