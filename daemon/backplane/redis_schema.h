// The schema of streams in Redis: keys, formats of entries, and the scripts that change them. A
// script is atomic: it checks the ownership of a stream and writes in one step.
//
//   surtitle:story:STREAM    a Redis Stream: entry n-0 is row n of the journal, counted from 1; the
//                            last one of a stream that has ended is {e: 1}
//   surtitle:owner:STREAM    who may write it: replica, "" if it was left without one; fence, which
//                            grows with every owner; and swept, 1 where it was taken from a
//                            replica that had died
//   surtitle:order:CHANNEL   a Redis Stream, the channel's assignment log: {stream, fence, over,
//                            swept}, one entry for each stream and for each change of owner;
//                            `over`: the stream that it displaced
//   surtitle:sender:CHANNEL  stream, replica and away (1: it was cut off) of its sender
//   surtitle:open            stream to replica, of all that have not ended
//   surtitle:replica:ID      exists while that replica is alive: its heartbeat, a HeartbeatRecord
//   surtitle:wake:ID         a Redis Stream that wakes that replica's tailer; {beat}: a heartbeat
//                            is requested; {taken: STREAM, fence, swept}: another replica has
//                            claimed a stream of this one under that fence
//
// The scripts make names of keys by themselves: this is for one Redis, not for a cluster of them.
//
// Thread-safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/backplane/redis.h"
#include "daemon/journal/journal_store.h"

namespace surtitle::redis_schema {

// A key of the schema holds data that surtitled did not write, or that another version wrote.
class Unreadable : public RedisRefusal {
  using RedisRefusal::RedisRefusal;
};

std::string key(const char* kind, const std::string& name);  // ("story", "s-01") to its key

// Returns 17 for "17" and for an id "17-0". Throws Unreadable otherwise.
std::int64_t to_number(std::string_view text);

// Whether a client's text can be the name of a stream at all.
bool is_stream_name(const std::string& text);

// An entry's fields, flat: name, value, ... as XADD takes them.
RedisCommand first_fields(const JournaledStream& stream, const JournalRow& row);
RedisCommand row_fields(const JournalRow& row);
RedisCommand end_fields();

struct Entry {
  std::int64_t number = 0;                     // n of its id n-0
  std::optional<JournaledStream> begins = {};  // without its name
  std::optional<JournalRow> row = {};
  bool ends = false;
};
// Parses [id, [field, value, ...]] of XRANGE or XREAD. Throws Unreadable if it is no entry.
Entry parse_entry(const RedisReply& reply);

// From now on this stream has the channel.
struct ChannelAssignment {
  std::string id;
  std::string stream;
  std::int64_t fence = 0;
  std::string displaced;  // the stream that had the channel before, if it has not ended
  bool failed_over = false;
};
ChannelAssignment parse_assignment(const RedisReply& reply);  // also from XRANGE or XREAD

// An entry of the stream that wakes a replica's log tailer.
struct WakeUp {
  std::string id;
  bool heartbeat_requested = false;
  std::string claimed_stream;  // the stream; empty: none
  std::int64_t fence = 0;
  bool failed_over = false;
};
WakeUp parse_wake_up(const RedisReply& reply);  // also from XRANGE or XREAD

inline constexpr const char* kWakeUps = "1024";  // that are kept for a replica that does not read

// --- scripts ---

// Loads the scripts; once on each connection, before they are called.
void load_scripts(RedisConnection& redis);

struct Append {
  std::string stream;
  std::string replica;
  std::int64_t fence = 0;  // 0: whatever it was when this replica had it last
  std::string channel;     // empty: none
  std::chrono::milliseconds retention{0};
  bool late = false;   // it has been said already: that its channel is taken ends nothing
  bool ended = false;  // and nobody's place is taken for it
  bool membership_stable = false;  // a replica without a heartbeat is dead
  std::int64_t first = 1;          // number of the first entry
  std::vector<RedisCommand> entries = {};
};
struct Appended {
  enum class Result {
    kOk,
    kFenced,      // its sender went on elsewhere; nothing was written
    kFailedOver,  // another replica adopted it, as this one seemed dead; nothing was written
    kBusy,        // its channel has another sender; nothing was written
    kSplit,       // likewise, but it was late: it was written, and the channel does not show it
  };
  Result result = Result::kOk;
  std::int64_t have = 0;   // entries that are there now
  std::int64_t fence = 0;  // of the owner
};
// Entries that Redis has already are skipped; entries after a gap are not written.
void send_append(RedisConnection& redis, const Append& append);
Appended receive_append(RedisConnection& redis);

struct Claim {
  std::string stream;
  std::string replica;
  std::optional<std::int64_t> fence = {};  // only from this owner
  std::chrono::milliseconds retention{0};
  bool failover = false;  // it is claimed from a dead replica, otherwise for a sender here
  // Whether the client that asks has left; checked last, just before the script.
  std::function<bool()> cancelled = [] { return false; };
};
struct Claimed {
  enum class Result {
    kClaimed,
    kMine,     // it was this replica's already
    kEnded,    // it needs no owner
    kUnknown,  // or another owner than the one asked for, or the sender has left
  };
  Result result = Result::kUnknown;
  std::int64_t fence = 0;
  std::int64_t have = 0;
};
// Throws RedisError also if Redis ran the script too late, as the request was answered by then.
Claimed claim(RedisConnection& redis, const Claim& request, std::chrono::milliseconds timeout);

// Leaves the stream without an owner, as that of a dead replica. Ignored if this replica does not
// own it under this fence.
void unclaim(RedisConnection& redis, const std::string& stream, const std::string& replica,
             std::int64_t fence);

// The text of a replica's heartbeat: "LOCATION:17 1" or "LOCATION:17 1 s-01 s-02" for number 17.
struct HeartbeatRecord {
  std::string journal_location;                   // two replicas with one identity differ in it
  bool caught_up = false;                         // Redis has all rows that count as stored,
  std::vector<std::string> lagging_streams = {};  // except those of these streams

  // Returns the command that publishes it; it expires after `ttl`.
  RedisCommand command(const std::string& replica, std::int64_t number,
                       std::chrono::milliseconds ttl) const;
  bool has_all_of(const std::string& stream) const;
};
HeartbeatRecord parse_heartbeat(const std::string& text);  // accepts any text

// Publishes that a stream is detached, or attached; ignored if this replica does not own it.
void publish_detached(RedisConnection& redis, const std::string& channel, const std::string& stream,
                      const std::string& replica, bool detached);

}  // namespace surtitle::redis_schema
