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
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_schema.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {

class ReplicatedJournalStore : public JournalStore {
 public:
  struct Callbacks {
    // The stream has moved, or has a later fence than this one (0: unknown). `failed_over`: it was
    // adopted without its sender.
    std::function<void(std::string stream, std::int64_t fence, bool failed_over)> on_ownership_lost;
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
  // How far a stream is replicated. Numbers are entries of its history.
  struct ReplicationState {
    std::int64_t order = 0;  // backlogs are replicated in this order
    std::int64_t fence = 0;
    std::int64_t local = 0;        // in the file
    std::int64_t replicated = -1;  // in Redis; -1: unknown
    std::int64_t at_claim = 0;     // in Redis, when this replica claimed the stream
    bool ended = false;
    bool moved = false;  // it does not run here
    std::string channel;
    TimePoint renew;  // when to renew the expiry of its keys in Redis
    // When to retry, if the replication of this stream failed.
    std::optional<TimePoint> quarantined_until = {};
    bool quarantine_logged = false;

    bool behind() const noexcept { return replicated < local; }
  };
  struct Retained {
    ReplicationState state;
    TimePoint until;
  };
  using Batch = std::vector<redis_schema::Append>;

  void replicate(std::span<const JournalEntry> entries) noexcept;
  void on_entry(const JournalEntry& entry, Batch& batch);
  ReplicationState& begin(const JournalEntry& entry);
  void add(const std::string& stream, const ReplicationState& state, RedisCommand fields,
           Batch& batch);
  bool predecessor_is_lagging(const ReplicationState& state, const Batch& batch) const;
  void send(const Batch& batch);
  void on_append_reply(const redis_schema::Append& append, const redis_schema::Appended& answer);
  void replicate_backlog_at_start();
  bool may_send() const;
  bool connected();
  void reconnect_if_replaced();
  void connect();
  void reset_known_offsets();
  void replicate_backlog_until(TimePoint until);
  void publish_starting();
  bool replicate_backlog();
  void replicate_backlog(const std::string& stream, ReplicationState& state);
  void quarantine(const std::string& stream, const std::string& why);
  void renew();
  redis_schema::Append missing(const std::string& stream, const ReplicationState& state);
  void retain(std::map<std::string, ReplicationState>::iterator state,
              std::chrono::milliseconds time);
  void on_moved(std::map<std::string, ReplicationState>::iterator state);
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
  // Streams that run here, or whose history is not fully replicated.
  std::map<std::string, ReplicationState> states_;
  // Streams that ended or moved a short while ago.
  std::map<std::string, Retained> retained_;
  std::int64_t next_order_ = 0;
  bool behind_ = false;          // a stream that is not quarantined has a backlog
  bool verify_offsets_ = false;  // requests all offsets after the next connection
};

}  // namespace surtitle
