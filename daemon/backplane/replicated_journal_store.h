// Journal store of a replica: writes entries to the file, then to Redis.
//
// If Redis is unavailable, entries stay in the file and are replicated from there later. A write
// waits for Redis for at most BackplaneOptions::timeout. If another Redis process answers, the
// store requests the offsets of all streams, and sends streams that ended lately again. A stream
// whose rows cannot be read, or are rejected by Redis, is quarantined for a while.
//
// The state of a stream that moved to another replica is retained for a moment. If Redis loses its
// data before the new owner has read the history, only this file has it and sends it again. The
// fence rejects that if the new owner has read it.
//
// Thread-safety: as JournalStore. Callbacks run on the calling thread, before the entries that they
// concern count as stored.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_schema.h"
#include "daemon/backplane/replicated_streams.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {

class ReplicatedJournalStore : public JournalStore {
 public:
  struct Callbacks {
    // The stream has moved, or has a later fence than this one (0: unknown). `failed_over`: it was
    // adopted without its sender.
    std::function<void(std::string stream, Fence fence, bool failed_over)> on_ownership_lost;
    // The channel of the stream has a sender on another replica.
    std::function<void(std::string stream)> on_channel_refused;
  };
  ReplicatedJournalStore(std::unique_ptr<LocalStore> local, RedisHealth& health,
                         Callbacks callbacks);
  ~ReplicatedJournalStore() override;

  void write(std::span<const JournalEntry> entries) override;
  // If Redis is available, also sends the entries that it lacks, for at most a few seconds.
  RecoverableStreams load_recoverable(std::int64_t ended) override;
  int purge(std::int64_t before) override;
  std::optional<Clock::duration> run_maintenance() override;

 private:
  using Batch = std::vector<redis_schema::Append>;

  void replicate(std::span<const JournalEntry> entries) noexcept;
  void on_entry(const JournalEntry& entry, Batch& batch);
  void on_moved(const std::string& name, Batch& batch);
  void begin(const JournalEntry& entry);
  void add(const std::string& name, const ReplicatedStream& stream, RedisCommand fields,
           Batch& batch);
  redis_schema::Append make_append(const std::string& name, const ReplicatedStream& stream,
                                   bool late) const;
  bool predecessor_is_lagging(const ReplicatedStream& stream, const Batch& batch) const;
  void send(const Batch& batch);
  void on_append_reply(const redis_schema::Append& append, const redis_schema::Appended& answer);
  void replicate_backlog_at_start();
  bool may_send() const;
  bool connected();
  void reconnect_if_replaced();
  void connect();
  void apply_to_all(ReplicationEvent event);
  void replicate_backlog_until(TimePoint until);
  void publish_starting();
  bool replicate_backlog();
  void replicate_backlog(const std::string& name, ReplicatedStream& stream);
  void quarantine(const std::string& name, const std::string& why);
  void renew();
  redis_schema::Append missing(const std::string& name, const ReplicatedStream& stream);
  void retain(ReplicatedStream& stream);
  void forget_retained();
  void set_behind();
  void set_unavailable(const std::string& why);
  void count_behind();

  const std::unique_ptr<LocalStore> local_;
  RedisHealth& health_;
  const Callbacks callbacks_;
  std::unique_ptr<RedisConnection> redis_;
  int connect_count_ = 0;  // RedisHealth::connect_count() at the last connection
  std::string run_;        // identity of the Redis process at the last connection; "": none yet
  ReplicatedStreams streams_;
  std::int64_t next_order_ = 0;
  bool behind_ = false;          // a stream that is not quarantined has a backlog
  bool verify_offsets_ = false;  // requests all offsets after the next connection
};

}  // namespace surtitle
