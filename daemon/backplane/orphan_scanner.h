// Finds orphans, which are streams whose owner is dead or missing, and claims them one by one.
//
// Orphans are claimed while the replica has room. A stream that this replica owns in Redis but
// never ran counts as an orphan: an earlier process of this replica claimed it. A stream that
// cannot continue here is rejected: it is left without an owner and not claimed again while it is
// open.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

class OrphanScanner {
 public:
  // `here`: streams that this process restores from its journal.
  OrphanScanner(const RedisHealth& health, const std::set<std::string>& here);

  // The stream runs here, or is about to.
  void register_stream(const std::string& stream);
  // The stream does not run here any more.
  void unregister_stream(const std::string& stream);
  // As unregister_stream(), but this replica may adopt the stream again.
  void reset_stream(const std::string& stream) { ran_.erase(stream); }
  void set_full(bool full) noexcept { full_ = full; }
  void stop() noexcept { stopped_ = true; }

  // A stream that was claimed under this fence cannot continue here, and is left to other replicas.
  // `reclaim`: when this replica may claim it again.
  enum class Reclaim { kLater, kNever };
  void unclaim(std::string stream, Fence fence, Reclaim reclaim);
  // This replica does not claim the stream while it is open in Redis. Logs it once.
  void reject(const std::string& stream, const std::string& why);
  bool is_rejected(const std::string& stream) const { return rejected_.contains(stream); }

  struct ClaimedOrphan {
    std::string stream;
    Fence fence = {};
  };
  // The history of a stream that was claimed is not read yet, as Redis became unavailable.
  void requeue(const ClaimedOrphan& claimed) { unread_[claimed.stream] = claimed.fence; }
  // The orphan that was claimed last runs here, or was left to other replicas.
  void finish_adoption() noexcept { adopting_ = false; }

  // Returns true if unclaim_all() or claim_next() has something to do.
  bool has_work() const { return !unclaimed_.empty() || may_claim(); }

  // The following functions throw RedisError.

  // Finds the orphans among all open streams in Redis.
  void find(RedisConnection& redis);
  // Claims an orphan. Returns nullopt if there is none, if there is no room, before
  // finish_adoption(), or if another replica was faster.
  std::optional<ClaimedOrphan> claim_next(RedisConnection& redis);
  void unclaim_all(RedisConnection& redis);

 private:
  struct Unclaimed {
    ClaimedOrphan stream;
    Reclaim reclaim = Reclaim::kLater;
  };

  bool may_claim() const;
  void find_own(RedisConnection& redis, const std::string& stream);
  bool claim_first(RedisConnection& redis);
  bool claim(RedisConnection& redis, const std::string& stream);

  const RedisHealth& health_;
  bool full_ = false;
  bool stopped_ = false;
  bool adopting_ = false;                // until finish_adoption()
  std::map<std::string, bool> ran_;      // true: it still runs here
  std::set<std::string> orphans_;        // found, but not claimed
  std::map<std::string, Fence> unread_;  // claimed, with the fence, but not read
  std::set<std::string> rejected_;
  std::vector<Unclaimed> unclaimed_;  // not written to Redis yet
};

}  // namespace surtitle
