// The schema in Redis: keys, formats of entries, and the scripts that change them.
//
// A script is atomic: it checks the ownership of a stream and writes in one step. Scripts build
// names of keys themselves, so Redis must not be a cluster.
//
// README.md in this folder has the keys. Some names of keys and fields are older than GLOSSARY.md:
// story (history), order (assignment log), swept (failed over), away (detached), over (displaced),
// taken (claimed), beat (heartbeat).
//
// Thread-safety: functions without a connection may be called from any thread.
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

// A key of the schema has data that surtitled did not write, or that another version wrote.
class Unreadable : public RedisRefusal {
  using RedisRefusal::RedisRefusal;
};

// Returns "surtitle:story:s-01" for ("story", "s-01"), and "surtitle:open" for ("open", "").
std::string key(const char* kind, const std::string& name);

// Returns 17 for "17" and for an id "17-0". Throws Unreadable for any other text.
std::int64_t to_number(std::string_view text);

// Returns true if a client's text has the form of a stream's name.
bool is_stream_name(const std::string& text);

// The fields of an entry for XADD: name, value, name, value, ...
RedisCommand first_fields(const JournaledStream& stream, const JournalRow& row);
RedisCommand row_fields(const JournalRow& row);
RedisCommand end_fields();

struct Entry {
  std::int64_t number = 0;                     // n of its id n-0
  std::optional<JournaledStream> begins = {};  // without its name
  std::optional<JournalRow> row = {};
  bool ends = false;
};
// Parses [id, [field, value, ...]], an item of XRANGE or XREAD. Throws Unreadable if it is not an
// entry.
Entry parse_entry(const RedisReply& reply);

// An entry of a channel's assignment log: the stream has the channel from then on.
struct ChannelAssignment {
  std::string id;
  std::string stream;
  Fence fence = {};
  std::string displaced;  // the previous stream of the channel, if it had not ended; "": none
  bool failed_over = false;
  // Time that the stream still waits for its sender, from the time of the id on; 0: not detached.
  std::chrono::milliseconds detached{0};

  // Returns how long the stream waits from `now` on, or nullopt if it is not detached. The clocks
  // of the replica and of Redis may differ, so the time is an estimate.
  std::optional<std::chrono::milliseconds> waits(std::chrono::system_clock::time_point now) const;
};
ChannelAssignment parse_assignment(const RedisReply& reply);  // as parse_entry()

// An entry of the stream that wakes a replica's log tailer.
struct WakeUp {
  std::string id;
  bool heartbeat_requested = false;
  std::string claimed_stream;  // "": none
  Fence fence = {};
  bool failed_over = false;
};
WakeUp parse_wake_up(const RedisReply& reply);  // as parse_entry()

inline constexpr const char* kWakeUps = "1024";  // entries that are kept for each replica

// --- scripts ---

// Loads the scripts. REQUIRES: called once on each connection, before its first script.
void load_scripts(RedisConnection& redis);

// Appends entries to a history.
struct Append {
  std::string stream;
  std::string replica;
  Fence fence = {};     // 0: the fence under which this replica owned the stream last
  std::string channel;  // "": none
  std::chrono::milliseconds retention{0};
  // Clients have received the entries already, so the stream continues even if its channel has
  // another sender (kSplit in place of kBusy).
  bool late = false;
  bool ended = false;              // the stream has ended, and does not displace another sender
  bool membership_stable = false;  // a replica without a heartbeat is dead
  std::int64_t first = 1;          // number of the first entry
  // The number of entries here, if a sender resumed the stream here while Redis was unavailable;
  // otherwise 0. Another replica may have claimed the stream before. If it has written nothing
  // since, and this replica has, the stream is claimed back.
  std::int64_t contested = 0;
  std::vector<RedisCommand> entries = {};
};
struct Appended {
  enum class Result {
    kOk,
    kFenced,      // another replica owns the stream, claimed for its sender; nothing was written
    kFailedOver,  // another replica adopted the stream as an orphan; nothing was written
    kBusy,        // the channel has another sender; nothing was written
    kSplit,       // the channel has another sender and keeps it; the entries were written
  };
  Result result = Result::kOk;
  std::int64_t have = 0;  // entries in Redis now
  Fence fence = {};       // of the owner
};
// Sends and receives the append. Entries that Redis has already are skipped. Entries after a gap
// are not written.
void send_append(RedisConnection& redis, const Append& append);
Appended receive_append(RedisConnection& redis);

struct Claim {
  std::string stream;
  std::string replica;
  std::optional<Fence> fence = {};  // of the present owner; nullopt: any
  std::chrono::milliseconds retention{0};
  bool failover = false;  // claims an orphan; false: claims for a sender
  // Returns true if the requesting client has disconnected. Called just before the script.
  std::function<bool()> cancelled = [] { return false; };
};
struct ClaimReply {
  enum class Result {
    kClaimed,
    kMine,     // this replica owned the stream already
    kEnded,    // the stream has ended and needs no owner
    kUnknown,  // no such stream, or another owner than Claim::fence, or cancelled
  };
  Result result = Result::kUnknown;
  Fence fence = {};
  std::int64_t have = 0;  // entries in Redis
};
// Returns the command of the script, which Redis refuses to run after `until` on its own clock,
// since 1970.
RedisCommand claim_command(const Claim& request, std::chrono::microseconds until);
// Claims a stream. Throws RedisError if Redis runs the script after the timeout: the request has
// failed by then, and nothing is changed.
ClaimReply claim(RedisConnection& redis, const Claim& request, std::chrono::milliseconds timeout);

// Leaves the stream without an owner, as an orphan. Ignored if this replica does not own it under
// this fence.
void unclaim(RedisConnection& redis, const std::string& stream, const std::string& replica,
             Fence fence);

// A replica's heartbeat. Its text is "LOCATION:17 1" or "LOCATION:17 1 s-01 s-02" for number 17.
struct HeartbeatRecord {
  std::string journal_location;  // differs between two replicas with one identity
  // Redis has all rows that count as stored, except those of the lagging streams.
  bool caught_up = false;
  std::vector<std::string> lagging_streams = {};

  // Returns the command that publishes the heartbeat. It expires after `ttl`.
  RedisCommand command(const std::string& replica, std::int64_t number,
                       std::chrono::milliseconds ttl) const;
  bool has_all_of(const std::string& stream) const;
};
HeartbeatRecord parse_heartbeat(const std::string& text);  // accepts any text

// Returns the text of the replica's heartbeat, or nullopt if the replica is dead.
std::optional<std::string> read_heartbeat(RedisConnection& redis, const std::string& replica);

struct Owner {
  std::string replica;  // "": none
  Fence fence = {};
};
RedisCommand owner_query(const std::string& stream);
// Parses the reply of owner_query(). Returns nullopt if the stream has no owner's key.
std::optional<Owner> parse_owner(const RedisReply& reply);
std::optional<Owner> read_owner(RedisConnection& redis, const std::string& stream);

// Publishes that a stream is detached, and how long it waits for its sender (0: not at all), or
// that it is attached. Ignored if this replica does not own it.
void publish_detached(RedisConnection& redis, const std::string& channel, const std::string& stream,
                      const std::string& replica, bool detached, std::chrono::milliseconds waits);

}  // namespace surtitle::redis_schema
