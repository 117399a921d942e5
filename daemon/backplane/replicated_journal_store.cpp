#include "daemon/backplane/replicated_journal_store.h"

#include <algorithm>
#include <utility>

#include "daemon/backplane/redis_schema.h"

namespace surtitle {

ReplicatedJournalStore::ReplicatedJournalStore(std::unique_ptr<LocalStore> local,
                                               RedisHealth& health, ContestedStreams& contested,
                                               Callbacks callbacks)
    : local_(std::move(local)),
      replicator_(streams_, *local_, health, contested, std::move(callbacks)) {}

RecoverableStreams ReplicatedJournalStore::load_recoverable(std::int64_t ended, int channels) {
  RecoverableStreams left = local_->load_recoverable(ended, channels);
  for (const StreamSummary& summary : left.summaries) {
    streams_[summary.stream.name] = {.state = ReplicationState::kUnknown,
                                     .order = next_order_++,
                                     .local = summary.rows + (summary.ended ? 1 : 0),
                                     .ended = summary.ended,
                                     .channel = summary.stream.channel.value_or("")};
  }
  replicator_.start();
  return left;
}

void ReplicatedJournalStore::write(std::span<const JournalEntry> entries) {
  local_->write(entries);
  replicate(entries);
}

// noexcept: the file has the entries already, and after an exception the journal would write them
// again. If memory runs out here, the process ends.
void ReplicatedJournalStore::replicate(std::span<const JournalEntry> entries) noexcept {
  Batch batch;
  for (const JournalEntry& entry : entries) {
    on_entry(entry, batch);
  }
  if (!batch.empty()) {
    replicator_.send(batch);
  }
}

// Counts the entry as stored in the file, and adds it to the batch if it can be sent at once.
void ReplicatedJournalStore::on_entry(const JournalEntry& entry, Batch& batch) {
  if (entry.moved) {
    on_moved(entry.stream, batch);
    return;
  }
  if (entry.begins) {
    begin(entry);
  }
  const auto found = streams_.find(entry.stream);
  if (found == streams_.end() || found->second.state == ReplicationState::kRetained) {
    return;  // another replica owns the stream by now
  }
  ReplicatedStream& stream = found->second;
  if (entry.row) {
    stream.append();
    add(entry.stream, stream,
        entry.begins ? redis_schema::first_fields(*entry.begins, *entry.row)
                     : redis_schema::row_fields(*entry.row),
        batch);
  }
  if (entry.ends) {
    stream.append();
    stream.ended = true;
    add(entry.stream, stream, redis_schema::end_fields(), batch);
  }
}

// The backlog of a stream that has moved is still sent, in case Redis lost its data.
void ReplicatedJournalStore::on_moved(const std::string& name, Batch& batch) {
  std::erase_if(batch, [&](const auto& one) { return one.stream == name; });
  const auto found = streams_.find(name);
  if (found == streams_.end()) {
    return;
  }
  ReplicatedStream& stream = found->second;
  if (stream.state == ReplicationState::kRetained && !stream.moved) {
    streams_.erase(found);  // its end is outdated
    return;
  }
  stream.moved = true;
  if (stream.state == ReplicationState::kReplicated) {
    replicator_.retain(stream);
  }
}

void ReplicatedJournalStore::begin(const JournalEntry& entry) {
  streams_[entry.stream] = {.order = next_order_++,
                            .fence = entry.ownership.fence,
                            .offset = entry.ownership.entries,
                            .at_claim = entry.ownership.entries,
                            .channel = entry.begins->channel.value_or("")};
}

void ReplicatedJournalStore::add(const std::string& name, const ReplicatedStream& stream,
                                 RedisCommand fields, Batch& batch) {
  auto append =
      std::find_if(batch.begin(), batch.end(), [&](const auto& one) { return one.stream == name; });
  if (append == batch.end()) {
    if (!is_lagging(stream.state) || !offset_known(stream.state)) {
      return;
    }
    if (stream.local != stream.offset + 1 || !replicator_.may_send() ||
        predecessor_is_lagging(stream, batch)) {
      replicator_.set_behind();
      return;
    }
    append = batch.insert(batch.end(), replicator_.make_append(name, stream, /*late=*/false));
  }
  append->entries.push_back(std::move(fields));
}

// The script that begins a stream in Redis ends the earlier streams of its channel. They must be
// fully replicated before.
bool ReplicatedJournalStore::predecessor_is_lagging(const ReplicatedStream& stream,
                                                    const Batch& batch) const {
  const auto goes_now = [&](const std::string& name) {
    return std::any_of(batch.begin(), batch.end(),
                       [&](const auto& append) { return append.stream == name; });
  };
  const auto is_behind = [&](const auto& one) {
    const ReplicatedStream& other = one.second;
    return other.channel == stream.channel && other.order < stream.order &&
           is_lagging(other.state) && !in_quarantine(other.state) && !goes_now(one.first);
  };
  return stream.offset == 0 && !stream.channel.empty() &&
         std::any_of(streams_.begin(), streams_.end(), is_behind);
}

}  // namespace surtitle
