// Journal store of a replica: writes entries to the file, then to Redis.
//
// If Redis is unavailable, entries stay in the file and are replicated from there later. A write
// waits for Redis for at most BackplaneOptions::timeout.
//
// Thread-safety: as JournalStore. Callbacks run on the calling thread, before the entries that they
// concern count as stored.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "daemon/backplane/contested_streams.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_replicator.h"
#include "daemon/backplane/replicated_streams.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {

class ReplicatedJournalStore : public JournalStore {
 public:
  using Callbacks = RedisReplicator::Callbacks;

  // REQUIRES: `health` and `contested` outlive this object.
  ReplicatedJournalStore(std::unique_ptr<LocalStore> local, RedisHealth& health,
                         ContestedStreams& contested, Callbacks callbacks);

  void write(std::span<const JournalEntry> entries) override;
  // If Redis is available, also sends the entries that it lacks, for at most a few seconds.
  RecoverableStreams load_recoverable(std::int64_t ended, int channels) override;
  bool purge(std::int64_t before) override { return local_->purge(before); }
  std::optional<Clock::duration> run_maintenance() override {
    return replicator_.run_maintenance();
  }

 private:
  using Batch = RedisReplicator::Batch;

  void replicate(std::span<const JournalEntry> entries) noexcept;
  void on_entry(const JournalEntry& entry, Batch& batch);
  void on_moved(const std::string& name, Batch& batch);
  void begin(const JournalEntry& entry);
  void add(const std::string& name, const ReplicatedStream& stream, RedisCommand fields,
           Batch& batch);
  bool predecessor_is_lagging(const ReplicatedStream& stream, const Batch& batch) const;

  const std::unique_ptr<LocalStore> local_;
  ReplicatedStreams streams_;
  std::int64_t next_order_ = 0;
  RedisReplicator replicator_;  // last, because it uses the other members
};

}  // namespace surtitle
