// Manages the ownership of streams: publishes heartbeats, claims streams, adopts orphans.
//
// Claiming a stream from a live owner needs its consent: a heartbeat, sent after our request, that
// reports the stream fully replicated. If the owner does not answer in time, the stream is claimed
// only if the sender knows of no more than Redis has.
//
// Orphans are adopted one after the other while the replica has room, and are checked again every
// second. A stream that cannot continue here is left without an owner and not claimed again.
// README.md of this folder has the details.
//
// Thread-safety: all functions may be called from any thread. Callbacks run on the manager's own
// thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/backplane/paged_history_reader.h"
#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_schema.h"
#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"
#include "model/util/mutex.h"

namespace surtitle {

// The answer to a request to claim a stream.
struct ClaimResult {
  enum class Status {
    kOwned,        // this replica owns it; with the history, unless the stream runs here already
    kEnded,        // it has ended and cannot be resumed; with the history
    kNotFound,     // it is unknown, or the key is wrong
    kUnavailable,  // Redis is unavailable, or was until a moment ago
    kRetryLater,   // it cannot be claimed now; its owner may have more entries than Redis
  };
  Status status = Status::kNotFound;
  std::int64_t fence = 0;
  std::optional<StreamHistory> history = {};
};

class OwnershipManager {
 public:
  using Answer = std::function<void(ClaimResult)>;

  // `here`: streams that this process restores from its journal. `orphan` is called with each
  // orphan that was claimed and read, and not again before next_orphan().
  OwnershipManager(RedisHealth& health, const std::set<std::string>& here, Answer orphan);
  OwnershipManager(const OwnershipManager&) = delete;
  OwnershipManager& operator=(const OwnershipManager&) = delete;
  // Removes the heartbeat of this replica.
  ~OwnershipManager();

  struct Request {
    protocol::Resume wanted;
    // Returns true if the client has disconnected. It may have reconnected to another replica, so
    // the stream is not claimed then.
    std::function<bool()> cancelled;
    // The stream runs on this replica: its history is not needed while this replica owns it.
    bool here = false;
    Answer answer;
  };
  // Claims a stream for a sender. Requests have priority over orphans.
  void claim(Request request);
  // Publishes a heartbeat soon.
  void request_heartbeat();
  // Publishes that the stream of a channel is detached, or attached.
  void publish_detached(std::string channel, std::string stream, bool detached);
  // The stream runs here.
  void register_stream(const std::string& stream);
  // The stream does not run here any more.
  void unregister_stream(const std::string& stream);
  // As unregister_stream(), but this replica may adopt the stream again.
  void reset_stream(const std::string& stream);
  // A stream that was claimed under this fence cannot continue here, and is left to other replicas.
  // `reclaim`: when this replica may claim it again.
  enum class Reclaim { kLater, kNever };
  void unclaim(std::string stream, std::int64_t fence, Reclaim reclaim);
  // The last orphan runs here, or was left to other replicas.
  void next_orphan();
  // `full`: the replica has no room for orphans.
  void set_full(bool full);
  // The replica shuts down: it adopts no more orphans.
  void stop_adopting();

 private:
  // A request that waits for the consent of the stream's owner.
  struct PendingHandoff {
    Request request;
    std::string owner;
    std::int64_t fence = 0;  // of the owner
    std::string heartbeat;   // of the owner, at the time of the request
    TimePoint until;
  };
  enum class HandoffState { kGiven, kNotYet, kRefused };
  // A history that is being read.
  struct Reading {
    ClaimResult::Status status;
    std::int64_t fence = 0;
    PagedHistoryReader reader;
    std::optional<Request> request = {};  // nullopt: an orphan
  };
  struct Unclaimed {
    std::string stream;
    std::int64_t fence = 0;
    Reclaim reclaim = Reclaim::kLater;
  };
  struct DetachedState {
    std::string channel;
    bool detached = false;
    bool published = false;
  };

  void run();
  void run_maintenance();
  bool may_adopt() const REQUIRES(mutex_);
  bool has_work() const REQUIRES(mutex_);
  std::optional<Request> next();
  void connect();
  void publish_heartbeat();
  void check_duplicate_id(const RedisReply& before);
  void find_orphans();
  void find_own_orphan(const std::string& stream);
  void adopt_one();
  bool claim_next_orphan();
  bool claim_orphan(const std::string& stream);
  void unclaim_all();
  void publish_all_detached();
  void set_unavailable(const std::string& why);
  void begin(Request request);
  bool request_handoff(Request& request);
  void poll_handoffs();
  HandoffState handoff_state(const PendingHandoff& waiting);
  std::optional<ClaimResult> refusal(const Request& request);
  bool may_be_stale(const Request& request, std::optional<std::int64_t> fence);
  bool covers(const protocol::Resume& wanted);
  std::optional<ClaimResult> find(Request& request, std::optional<std::int64_t> fence);
  void read_on();
  bool is_mine(const Reading& reading);
  void finish(Reading reading);
  ClaimResult refuse(const std::string& stream, const std::string& why);
  void leave_unread(const Reading& reading, const std::string& why);
  std::optional<std::string> heartbeat_of(const std::string& replica);

  RedisHealth& health_;
  const Answer orphan_;

  Mutex mutex_;
  CondVar wake_;
  std::deque<Request> requests_ GUARDED_BY(mutex_);
  // By stream. Contains detached streams, and changes that are not published yet.
  std::map<std::string, DetachedState> detached_ GUARDED_BY(mutex_);
  bool detached_published_ GUARDED_BY(mutex_) = true;
  bool adopts_orphans_ GUARDED_BY(mutex_) = true;
  bool full_ GUARDED_BY(mutex_) = false;
  bool adopting_ GUARDED_BY(mutex_) = false;  // until next_orphan()
  // Streams that this replica has run or is about to run. The value: it still runs here.
  std::map<std::string, bool> ran_ GUARDED_BY(mutex_);
  std::vector<Unclaimed> unclaimed_ GUARDED_BY(mutex_);  // not written to Redis yet
  bool heartbeat_requested_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;

  // Used by the manager's thread alone.
  std::unique_ptr<RedisConnection> redis_;
  TimePoint next_heartbeat_;
  std::int64_t heartbeats_ = 0;
  std::vector<PendingHandoff> pending_handoffs_;
  std::deque<Reading> readings_;
  std::set<std::string> orphans_;  // streams whose owner is dead or missing
  // Streams that this replica has claimed and whose histories it has not read yet, with the fence.
  std::map<std::string, std::int64_t> claimed_unread_;
  std::set<std::string> rejected_;  // open streams in Redis that cannot continue here
  bool duplicate_reported_ = false;

  std::thread thread_;  // last, because it uses all other members
};

}  // namespace surtitle
