#include "daemon/backplane/replicated_journal_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "daemon/base/log.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kPollInterval{100};  // for a new connection to Redis
constexpr std::chrono::seconds kStartupFlush{3};         // for the backlog of the previous process
constexpr std::chrono::seconds kShutdownFlush{3};        // for the last entries
constexpr std::size_t kRowsAtOnce = 256;                 // of a backlog, because writes wait
constexpr std::chrono::seconds kQuarantine{10};
constexpr std::size_t kMaxQuarantined = 64;  // streams that a heartbeat names
constexpr std::size_t kRenewAtOnce = 128;    // streams
constexpr int kRenewals = 3;                 // during BackplaneOptions::retention

std::int64_t rows_in(std::int64_t entries, bool ended) { return entries - (ended ? 1 : 0); }

// Returns the unique identity of the Redis process.
std::string run_of(RedisConnection& redis) {
  constexpr std::string_view kName = "run_id:";
  const std::string about = redis.ask({"INFO", "server"}).text;
  const std::size_t begin = about.find(kName);
  return begin == std::string::npos
             ? "unknown"
             : about.substr(begin, about.find_first_of("\r\n", begin) - begin);
}

}  // namespace

ReplicatedJournalStore::ReplicatedJournalStore(std::unique_ptr<LocalStore> local,
                                               RedisHealth& health, Callbacks callbacks)
    : local_(std::move(local)), health_(health), callbacks_(std::move(callbacks)) {}

// Replicates missing entries before other replicas notice the shutdown.
ReplicatedJournalStore::~ReplicatedJournalStore() {
  try {
    for (const TimePoint until = Clock::now() + kShutdownFlush;
         behind_ && may_send() && Clock::now() < until;) {
      run_maintenance();
    }
    // If the ownership manager has not published a heartbeat yet, the one of publish_starting() is
    // removed here.
    const bool began = health_.connect_count() > 0;
    if (redis_ && !began && health_.caught_up() && health_.lagging_streams().empty()) {
      redis_->ask({"DEL", redis_schema::key("replica", health_.options().replica)});
    }
  } catch (const std::exception& failure) {
    log(LogLevel::kWarning, "Last entries not replicated", {{"error", failure.what()}});
  }
}

RecoverableStreams ReplicatedJournalStore::load_recoverable(std::int64_t ended) {
  RecoverableStreams left = local_->load_recoverable(ended);
  for (const StreamSummary& summary : left.summaries) {
    ReplicationState& state = states_[summary.stream.name];
    state.order = next_order_++;
    state.local = summary.rows + (summary.ended ? 1 : 0);
    state.ended = summary.ended;
    state.channel = summary.stream.channel.value_or("");
  }
  if (!states_.empty()) {
    verify_offsets_ = true;
    replicate_backlog_at_start();
  }
  count_behind();
  return left;
}

// Called before clients can receive entries that only the file has: other replicas would lack them.
void ReplicatedJournalStore::replicate_backlog_at_start() {
  const TimePoint until = Clock::now() + kStartupFlush;
  try {
    connect();
    replicate_backlog_until(until);
  } catch (const std::exception& failure) {
    set_unavailable(failure.what());
  }
}

int ReplicatedJournalStore::purge(std::int64_t before) { return local_->purge(before); }

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
    send(batch);
  }
}

// Counts the entry as stored in the file, and adds it to the batch if it can be sent at once.
void ReplicatedJournalStore::on_entry(const JournalEntry& entry, Batch& batch) {
  if (entry.moved) {
    if (const auto state = states_.find(entry.stream); state != states_.end()) {
      if (state->second.behind()) {
        state->second.moved = true;  // the backlog is still sent, in case Redis lost its data
      } else {
        on_moved(state);
      }
    }
    const auto ended = retained_.find(entry.stream);
    if (ended != retained_.end() && !ended->second.state.moved) {
      retained_.erase(ended);
    }
    std::erase_if(batch, [&](const auto& one) { return one.stream == entry.stream; });
    return;
  }
  if (entry.begins) {
    begin(entry);
  }
  const auto found = states_.find(entry.stream);
  if (found == states_.end()) {
    return;  // another replica owns the stream by now
  }
  ReplicationState& state = found->second;
  if (entry.row) {
    ++state.local;
    add(entry.stream, state,
        entry.begins ? redis_schema::first_fields(*entry.begins, *entry.row)
                     : redis_schema::row_fields(*entry.row),
        batch);
  }
  if (entry.ends) {
    ++state.local;
    state.ended = true;
    add(entry.stream, state, redis_schema::end_fields(), batch);
  }
}

ReplicatedJournalStore::ReplicationState& ReplicatedJournalStore::begin(const JournalEntry& entry) {
  retained_.erase(entry.stream);
  ReplicationState& state = states_[entry.stream];
  state = {};
  state.order = next_order_++;
  state.channel = entry.begins->channel.value_or("");
  state.fence = entry.ownership.fence;
  state.replicated = entry.ownership.entries;
  state.at_claim = entry.ownership.entries;
  return state;
}

void ReplicatedJournalStore::add(const std::string& stream, const ReplicationState& state,
                                 RedisCommand fields, Batch& batch) {
  auto append = std::find_if(batch.begin(), batch.end(),
                             [&](const auto& one) { return one.stream == stream; });
  if (append == batch.end()) {
    if (state.replicated < 0 || state.local <= state.replicated) {
      return;
    }
    if (state.local != state.replicated + 1 || !may_send() ||
        predecessor_is_lagging(state, batch)) {
      set_behind();
      return;
    }
    const BackplaneOptions& options = health_.options();
    append = batch.insert(batch.end(),
                          {stream, options.replica, state.fence, state.channel, options.retention,
                           /*late=*/false, state.ended, health_.membership_stable(), state.local});
  }
  append->entries.push_back(std::move(fields));
}

// The script that begins a stream in Redis ends the earlier streams of its channel. They must be
// fully replicated before.
bool ReplicatedJournalStore::predecessor_is_lagging(const ReplicationState& state,
                                                    const Batch& batch) const {
  const auto goes_now = [&](const std::string& stream) {
    return std::any_of(batch.begin(), batch.end(),
                       [&](const auto& append) { return append.stream == stream; });
  };
  const auto is_behind = [&](const auto& one) {
    const ReplicationState& other = one.second;
    return other.channel == state.channel && other.order < state.order && other.behind() &&
           !other.quarantined_until && !goes_now(one.first);
  };
  return state.replicated == 0 && !state.channel.empty() &&
         std::any_of(states_.begin(), states_.end(), is_behind);
}

// Returns true also between the connection at the start and the first heartbeat.
bool ReplicatedJournalStore::may_send() const {
  return health_.up() || (redis_ && health_.connect_count() == 0);
}

bool ReplicatedJournalStore::connected() {
  if (redis_ || !health_.up()) {
    return redis_ != nullptr;
  }
  try {
    connect();
  } catch (const std::exception& failure) {
    set_unavailable(failure.what());
  }
  return redis_ != nullptr;
}

void ReplicatedJournalStore::connect() {
  connect_count_ = health_.connect_count();
  auto redis = std::make_unique<RedisConnection>(health_.options().url, health_.options().timeout);
  redis_schema::load_scripts(*redis);
  const std::string run = run_of(*redis);
  if (run != std::exchange(run_, run)) {
    reset_known_offsets();
  }
  redis_ = std::move(redis);
}

// Marks the offsets in Redis of all streams as unknown, after a connection to another process.
void ReplicatedJournalStore::reset_known_offsets() {
  for (auto& [stream, state] : states_) {
    state.replicated = -1;
    state.quarantined_until.reset();
    state.quarantine_logged = false;
  }
  for (auto& [stream, retained] : std::exchange(retained_, {})) {
    ReplicationState& state = states_[stream] = std::move(retained.state);
    state.replicated = -1;
  }
  set_behind();
}

void ReplicatedJournalStore::retain(std::map<std::string, ReplicationState>::iterator state,
                                    std::chrono::milliseconds time) {
  retained_[state->first] = {std::move(state->second), Clock::now() + time};
  states_.erase(state);
}

// Retains the state for the lifetime of a heartbeat. The new owner reads the history within this
// time, or counts as dead.
void ReplicatedJournalStore::on_moved(std::map<std::string, ReplicationState>::iterator state) {
  state->second.moved = true;
  retain(state, health_.options().heartbeat_ttl);
}

// Drops old states, but not while Redis may have lost its data.
void ReplicatedJournalStore::forget_retained() {
  const TimePoint now = Clock::now();
  if (redis_ && health_.up()) {
    std::erase_if(retained_, [&](const auto& one) { return one.second.until <= now; });
  }
}

void ReplicatedJournalStore::set_behind() {
  behind_ = true;
  health_.set_caught_up(false);
}

void ReplicatedJournalStore::set_unavailable(const std::string& why) {
  redis_.reset();
  set_behind();
  health_.set_unavailable(why);
}

void ReplicatedJournalStore::send(const Batch& batch) {
  const bool ready = connected();
  // Unknown until the reply: if the connection fails, Redis may have the entries or not.
  for (const redis_schema::Append& append : batch) {
    states_.at(append.stream).replicated = -1;
  }
  if (!ready) {
    set_behind();
    return;
  }
  const TimePoint begin = Clock::now();
  std::size_t entries = 0;
  try {
    const RedisConnection::Pipeline pipeline(*redis_);
    for (const redis_schema::Append& append : batch) {
      redis_schema::send_append(*redis_, append);
      entries += append.entries.size();
    }
    for (const redis_schema::Append& append : batch) {
      try {
        on_append_reply(append, redis_schema::receive_append(*redis_));
      } catch (const RedisRefusal& refusal) {
        quarantine(append.stream, refusal.what());
      }
    }
  } catch (const std::exception& failure) {  // not rethrown, because the file has the entries
    set_unavailable(failure.what());
    return;
  }
  if (entries > 0) {
    health_.metrics().backplane_written(static_cast<int>(entries), Clock::now() - begin);
  }
  count_behind();
}

void ReplicatedJournalStore::on_append_reply(const redis_schema::Append& append,
                                             const redis_schema::Appended& answer) {
  using Result = redis_schema::Appended::Result;
  const auto found = states_.find(append.stream);
  ReplicationState& state = found->second;
  if (state.moved) {
    state.replicated = answer.have;
    if (answer.result == Result::kOk) {
      state.fence = answer.fence;
    }
    if (answer.result != Result::kOk || !state.behind()) {
      on_moved(found);
    }
    return;
  }
  // Redis has more entries than the file, which lost its last ones in a power failure.
  const bool ahead = answer.have > std::max(state.local, state.at_claim);
  if (ahead || answer.result == Result::kFenced || answer.result == Result::kFailedOver) {
    callbacks_.on_ownership_lost(append.stream, append.fence,
                                 ahead || answer.result == Result::kFailedOver);
    if (ahead) {
      states_.erase(found);
    } else {
      on_moved(found);
    }
    return;
  }
  if (answer.result == Result::kBusy) {
    callbacks_.on_channel_refused(append.stream);
    states_.erase(found);
    return;
  }
  if (answer.result == Result::kSplit && !state.ended) {
    log(LogLevel::kWarning,
        "Channel has senders on two replicas after an outage of Redis; viewers receive the sender "
        "of their replica",
        {{"stream", append.stream}, {"channel", append.channel}});
  }
  state.replicated = answer.have;
  state.fence = answer.fence;
  state.renew = Clock::now() + health_.options().retention / kRenewals;
  if (!state.behind()) {
    state.quarantined_until.reset();
  }
  if (state.ended && !state.behind()) {
    retain(found, health_.options().ended_retention);
  }
}

std::optional<Clock::duration> ReplicatedJournalStore::run_maintenance() {
  forget_retained();
  if (states_.empty() && retained_.empty()) {
    return std::nullopt;
  }
  try {
    reconnect_if_replaced();
    if (connected()) {
      renew();
      replicate_backlog();
    }
  } catch (const std::exception& failure) {
    set_unavailable(failure.what());
  }
  count_behind();
  return redis_ && behind_ ? Clock::duration::zero() : Clock::duration(kPollInterval);
}

// Reconnects to a Redis that was unavailable without waiting for a write, so that the backlog stays
// small. Also requests again the offsets that were read at the start: other replicas may have
// claimed the streams before the first heartbeat of this one.
void ReplicatedJournalStore::reconnect_if_replaced() {
  if (!health_.up() || (health_.connect_count() == connect_count_ && !verify_offsets_)) {
    return;
  }
  redis_.reset();
  if (!connected()) {
    return;
  }
  if (std::exchange(verify_offsets_, false)) {
    for (auto& [stream, state] : states_) {
      state.replicated = -1;
    }
  }
  replicate_backlog_until(Clock::now() + health_.options().timeout);
}

// Requests all unknown offsets first. Once they are known, new entries are sent in one batch.
void ReplicatedJournalStore::replicate_backlog_until(TimePoint until) {
  publish_starting();
  Batch unknown;
  for (const auto& [stream, state] : states_) {
    if (state.replicated < 0 && !state.quarantined_until) {
      unknown.push_back(missing(stream, state));
    }
  }
  if (!unknown.empty()) {
    send(unknown);
  }
  while (redis_ && Clock::now() < until && replicate_backlog()) {
  }
}

// Publishes a heartbeat before the first one of the ownership manager: the other replicas must not
// adopt the streams of a replica that starts.
void ReplicatedJournalStore::publish_starting() {
  if (health_.connect_count() == 0) {
    const BackplaneOptions& options = health_.options();
    const redis_schema::HeartbeatRecord heartbeat{options.journal_location, /*caught_up=*/false};
    redis_->ask(heartbeat.command(options.replica, /*number=*/0, options.heartbeat_ttl));
  }
}

// Replicates some entries of the oldest stream that has a backlog. This order keeps the order of
// streams on a channel. Returns false if there is no backlog.
bool ReplicatedJournalStore::replicate_backlog() {
  auto first = states_.end();
  const TimePoint now = Clock::now();
  for (auto state = states_.begin(); state != states_.end(); ++state) {
    if (state->second.behind() && state->second.quarantined_until.value_or(now) <= now &&
        (first == states_.end() || state->second.order < first->second.order)) {
      first = state;
    }
  }
  if (first == states_.end()) {
    return false;
  }
  publish_starting();
  const std::string stream = first->first;
  try {
    replicate_backlog(stream, first->second);
  } catch (const RedisRefusal& refusal) {
    quarantine(stream, refusal.what());
  } catch (const RedisError&) {
    throw;
  } catch (const std::exception& failure) {  // the file cannot be read
    quarantine(stream, failure.what());
  }
  return true;
}

void ReplicatedJournalStore::replicate_backlog(const std::string& stream, ReplicationState& state) {
  const std::int64_t had = state.replicated;
  const redis_schema::Append append = missing(stream, state);
  if (had >= 0 && append.entries.empty()) {
    states_.erase(stream);  // the file has purged it
    return;
  }
  redis_schema::send_append(*redis_, append);
  on_append_reply(append, redis_schema::receive_append(*redis_));
  if (had >= 0) {
    health_.metrics().backplane_backlog(static_cast<int>(append.entries.size()));
  }
}

void ReplicatedJournalStore::quarantine(const std::string& stream, const std::string& why) {
  ReplicationState& state = states_.at(stream);
  state.replicated = -1;
  state.quarantined_until = Clock::now() + kQuarantine;
  if (!std::exchange(state.quarantine_logged, true)) {
    log(LogLevel::kError,
        "Stream quarantined: its replication failed and is retried; it continues here meanwhile",
        {{"stream", stream}, {"error", why}});
  }
}

// Extends the expiry of the keys of silent streams.
void ReplicatedJournalStore::renew() {
  const TimePoint now = Clock::now();
  std::vector<std::map<std::string, ReplicationState>::iterator> due;
  for (auto state = states_.begin(); state != states_.end() && due.size() < kRenewAtOnce; ++state) {
    if (state->second.replicated >= 0 && state->second.renew <= now) {
      due.push_back(state);
    }
  }
  const std::string retention = std::to_string(health_.options().retention.count());
  const auto send = [&](const char* kind, const std::string& name) {
    redis_->send({"PEXPIRE", redis_schema::key(kind, name), retention});
  };
  const RedisConnection::Pipeline pipeline(*redis_);
  for (const auto& state : due) {
    send("story", state->first);
    send("owner", state->first);
    send("sender", state->second.channel);
    send("order", state->second.channel);
  }
  for (const auto& state : due) {
    const bool there = redis_->receive().number == 1;
    for (int others = 3; others > 0; --others) {
      redis_->receive();
    }
    state->second.renew = now + health_.options().retention / kRenewals;
    if (!there) {  // Redis has lost it
      state->second.replicated = -1;
      set_behind();
    }
  }
}

// Returns the next entries that Redis lacks, or none if its offset is unknown. Sending none
// requests the offset.
redis_schema::Append ReplicatedJournalStore::missing(const std::string& stream,
                                                     const ReplicationState& state) {
  const BackplaneOptions& options = health_.options();
  redis_schema::Append append{stream,
                              options.replica,
                              state.fence,
                              state.channel,
                              options.retention,
                              /*late=*/true,
                              state.ended,
                              health_.membership_stable(),
                              state.replicated + 1};
  if (state.replicated < 0) {
    append.first = 1;
    return append;
  }
  const std::int64_t rows = rows_in(state.local, state.ended);
  for (JournalRow& row : local_->read_rows(stream, state.replicated, kRowsAtOnce)) {
    const bool first = state.replicated == 0 && append.entries.empty();
    append.entries.push_back(first ? redis_schema::first_fields(local_->read_stream(stream), row)
                                   : redis_schema::row_fields(row));
  }
  const std::int64_t reaches = state.replicated + static_cast<std::int64_t>(append.entries.size());
  if (state.ended && reaches >= rows) {
    append.entries.push_back(redis_schema::end_fields());
  }
  return append;
}

void ReplicatedJournalStore::count_behind() {
  std::int64_t behind = 0;
  for (const auto& [stream, state] : states_) {
    behind += std::max<std::int64_t>(state.local - std::max<std::int64_t>(state.replicated, 0), 0);
  }
  const TimePoint now = Clock::now();
  bool caught_up = true;
  behind_ = false;
  std::vector<std::string> lagging_streams;
  for (const auto& [stream, state] : states_) {
    if (state.behind()) {
      behind_ = behind_ || state.quarantined_until.value_or(now) <= now;
      caught_up = caught_up && state.quarantined_until;
      lagging_streams.push_back(stream);
    }
  }
  if (lagging_streams.size() > kMaxQuarantined) {
    caught_up = false;
  }
  health_.set_caught_up(caught_up,
                        caught_up ? std::move(lagging_streams) : std::vector<std::string>());
  health_.metrics().backplane_behind(behind);
}

}  // namespace surtitle
