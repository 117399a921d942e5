// Sends the entries of streams to Redis, and later from the file those that Redis lacks.
//
// A call waits for Redis for at most BackplaneOptions::timeout. If another Redis process answers,
// the replicator requests the offsets of all streams, and sends streams that ended lately again. A
// stream whose rows cannot be read, or are rejected by Redis, is quarantined for a while.
//
// The state of a stream that moved to another replica is retained for a moment. If Redis loses its
// data before the new owner has read the history, only this file has it and sends it again. The
// fence rejects that if the new owner has read it.
//
// Thread-safety: none; one thread at a time. Callbacks run on the calling thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/backplane/contested_streams.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_schema.h"
#include "daemon/backplane/replicated_streams.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {

class RedisReplicator {
 public:
  using Batch = std::vector<redis_schema::Append>;
  struct Callbacks {
    // The stream has moved, or has a later fence than this one (0: unknown). `failed_over`: it was
    // adopted without its sender.
    std::function<void(std::string stream, Fence fence, bool failed_over)> on_ownership_lost;
    // This replica owns the contested stream under this fence.
    std::function<void(std::string stream, Fence fence)> on_ownership_confirmed;
    // The channel of the stream has a sender on another replica.
    std::function<void(std::string stream)> on_channel_refused;
  };

  // REQUIRES: the first four arguments outlive this object.
  RedisReplicator(ReplicatedStreams& streams, LocalStore& local, RedisHealth& health,
                  ContestedStreams& contested, Callbacks callbacks);
  RedisReplicator(const RedisReplicator&) = delete;
  RedisReplicator& operator=(const RedisReplicator&) = delete;
  // Sends missing entries for at most a few seconds.
  ~RedisReplicator();

  // Sends the entries of the previous process, for at most a few seconds.
  void start();
  // Returns true if entries may be sent at once.
  bool may_send() const;
  // Returns a request without entries, which asks Redis for its offset. `late`: see Append.
  redis_schema::Append make_append(const std::string& name, const ReplicatedStream& stream,
                                   bool late) const;
  // Sends the batch in one round trip. If that fails, the entries are sent later from the file.
  void send(const Batch& batch);
  // Records that entries of a stream are not sent at once, but later from the file.
  void set_behind();
  // Keeps a stream that has ended or moved for a moment.
  void retain(ReplicatedStream& stream);
  // As JournalStore::run_maintenance().
  std::optional<Clock::duration> run_maintenance();

 private:
  bool connected();
  void connect();
  void reconnect_if_replaced();
  void publish_starting();
  void set_unavailable(const std::string& why);
  void apply_to_all(ReplicationEvent event);
  void query_contested();
  void on_append_reply(const redis_schema::Append& append, const redis_schema::Appended& answer);
  void replicate_backlog_until(TimePoint until);
  bool replicate_backlog();
  void replicate_backlog(const std::string& name, ReplicatedStream& stream);
  redis_schema::Append missing(const std::string& name, const ReplicatedStream& stream);
  void quarantine(const std::string& name, const std::string& why);
  void renew();
  void drop_retained();
  void count_behind();

  ReplicatedStreams& streams_;
  LocalStore& local_;
  RedisHealth& health_;
  ContestedStreams& contested_;
  const Callbacks callbacks_;
  std::unique_ptr<RedisConnection> redis_;
  int connect_count_ = 0;  // RedisHealth::connect_count() at the last connection
  std::string run_;        // identity of the Redis process at the last connection; "": none yet
  bool behind_ = false;    // a stream that is not quarantined has a backlog
  bool verify_offsets_ = false;  // requests all offsets after the next connection
};

}  // namespace surtitle
