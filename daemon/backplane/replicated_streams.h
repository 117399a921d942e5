// How far each stream of this replica is replicated to Redis.
//
// Contains the streams that run here, those whose history is not fully replicated, and for a moment
// those that have ended or moved. Pure bookkeeping: ReplicatedJournalStore writes.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/backplane/replication_state.h"
#include "daemon/base/clock.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

// Numbers are entries of the stream's history.
struct ReplicatedStream {
  ReplicationState state = ReplicationState::kReplicated;
  std::int64_t order = 0;  // backlogs are replicated in this order
  Fence fence = {};
  std::int64_t local = 0;     // in the file
  std::int64_t offset = 0;    // in Redis; valid if offset_known()
  std::int64_t at_claim = 0;  // in Redis, when this replica claimed the stream
  bool ended = false;         // its last entry is its end
  bool moved = false;         // it does not run here
  std::string channel = {};   // "": none
  TimePoint renew = {};       // when to renew the expiry of its keys in Redis
  TimePoint until = {};       // kQuarantined: when to retry; kRetained: when to drop it

  void apply(ReplicationEvent event) noexcept { state = next_state(state, event); }
  // The file has one more entry.
  void append() noexcept;
  // Redis has sent its offset.
  void set_offset(std::int64_t entries) noexcept;
  // Returns true if the stream may be sent to Redis now.
  bool may_send(TimePoint now) const noexcept;
};

using ReplicatedStreams = std::map<std::string, ReplicatedStream>;

// The entries that Redis lacks, of all streams together.
struct ReplicationLag {
  std::int64_t entries = 0;
  bool may_send = false;                  // a stream has entries to send now
  bool caught_up = true;                  // all lagging streams are in quarantine
  std::vector<std::string> streams = {};  // that lag
};
ReplicationLag lag_of(const ReplicatedStreams& streams, TimePoint now);

// Returns the first stream by its order that lags and may be sent now, or the end.
ReplicatedStreams::iterator oldest_backlog(ReplicatedStreams& streams, TimePoint now);

}  // namespace surtitle
