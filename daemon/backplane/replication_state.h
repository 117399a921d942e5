// The states of one stream's replication to Redis, and the table of their transitions.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

namespace surtitle {

enum class ReplicationState {
  kUnknown,      // Redis has to be asked for its offset: the number of entries that it has
  kBehind,       // Redis lacks entries that the file has
  kReplicated,   // Redis has all entries
  kQuarantined,  // the replication failed and is retried after a while; the offset is unknown
  kRecovering,   // the retry succeeded, but Redis still lacks entries
  kRetained,     // the stream ended or moved; it is kept in case Redis loses its data
};

enum class ReplicationEvent {
  kAppended,       // the file has an entry that Redis lacks
  kOffsetLost,     // a reply of Redis is missing, or Redis has lost the stream
  kRedisReplaced,  // another Redis process answers
  kLacksEntries,   // Redis has sent its offset, and lacks entries
  kHasAll,         // Redis has sent its offset, and has all entries
  kFailed,         // Redis rejects the stream, or its rows in the file are unreadable
  kReleased,       // the stream has moved, or has ended and Redis has all entries
};

// Returns the state after the event.
ReplicationState next_state(ReplicationState state, ReplicationEvent event) noexcept;

// Returns true if Redis may lack entries.
bool is_lagging(ReplicationState state) noexcept;
// Returns true if the replication has failed and Redis has not received all entries since.
bool in_quarantine(ReplicationState state) noexcept;
// Returns true if the stream is neither unknown, quarantined nor retained: the number of its
// entries in Redis is known.
bool offset_known(ReplicationState state) noexcept;

}  // namespace surtitle
