#include "daemon/backplane/redis_replicator.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "daemon/backplane/heartbeat_publisher.h"
#include "daemon/base/log.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kConnectionInterval{100};  // for a new connection to Redis
constexpr std::chrono::seconds kStartupFlush{3};   // for the backlog of the previous process
constexpr std::chrono::seconds kShutdownFlush{3};  // for the last entries
constexpr std::size_t kRowsAtOnce = 256;           // of a backlog, because writes wait
constexpr std::chrono::seconds kQuarantine{10};
constexpr std::size_t kMaxQuarantined = 64;  // streams that a heartbeat names
constexpr std::size_t kRenewAtOnce = 128;    // streams
constexpr int kRenewals = 3;                 // during BackplaneOptions::retention

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

RedisReplicator::RedisReplicator(ReplicatedStreams& streams, LocalStore& local, RedisHealth& health,
                                 ContestedStreams& contested, Callbacks callbacks)
    : streams_(streams),
      local_(local),
      health_(health),
      contested_(contested),
      callbacks_(std::move(callbacks)) {}

// Replicates missing entries before other replicas notice the shutdown.
RedisReplicator::~RedisReplicator() {
  try {
    for (const TimePoint until = Clock::now() + kShutdownFlush;
         behind_ && may_send() && Clock::now() < until;) {
      run_maintenance();
    }
    // If the ownership manager has not published a heartbeat yet, the one of publish_starting() is
    // removed here.
    const bool began = health_.connect_count() > 0;
    if (redis_ && !began) {
      remove_heartbeat(*redis_, health_);
    }
  } catch (const std::exception& failure) {
    log(LogLevel::kWarning, "Journal entries not replicated before the exit",
        {{"error", failure.what()}});
  }
}

// Called before clients can receive entries that only the file has: other replicas would lack them.
void RedisReplicator::start() {
  if (!streams_.empty()) {
    verify_offsets_ = true;
    const TimePoint until = Clock::now() + kStartupFlush;
    try {
      connect();
      replicate_backlog_until(until);
    } catch (const std::exception& failure) {
      set_unavailable(failure.what());
    }
  }
  count_behind();
}

// Returns true also between the connection at the start and the first heartbeat.
bool RedisReplicator::may_send() const {
  return health_.available() || (redis_ && health_.connect_count() == 0);
}

bool RedisReplicator::connected() {
  if (redis_ || !health_.available()) {
    return redis_ != nullptr;
  }
  try {
    connect();
  } catch (const std::exception& failure) {
    set_unavailable(failure.what());
  }
  return redis_ != nullptr;
}

void RedisReplicator::connect() {
  connect_count_ = health_.connect_count();
  auto redis = std::make_unique<RedisConnection>(health_.options().url, health_.options().timeout);
  redis_schema::load_scripts(*redis);
  const std::string run = run_of(*redis);
  if (run != std::exchange(run_, run)) {
    apply_to_all(ReplicationEvent::kRedisReplaced);
    set_behind();
  }
  redis_ = std::move(redis);
}

void RedisReplicator::apply_to_all(ReplicationEvent event) {
  for (auto& [name, stream] : streams_) {
    stream.apply(event);
  }
}

// Retains a stream that has moved for the lifetime of a heartbeat. The new owner reads the history
// within this time, or counts as dead.
void RedisReplicator::retain(ReplicatedStream& stream) {
  const BackplaneOptions& options = health_.options();
  stream.apply(ReplicationEvent::kReleased);
  stream.until = Clock::now() + (stream.moved ? options.heartbeat_ttl : options.ended_retention);
}

// Drops retained streams, but not while Redis may have lost its data.
void RedisReplicator::drop_retained() {
  const TimePoint now = Clock::now();
  if (redis_ && health_.available()) {
    std::erase_if(streams_, [&](const auto& one) {
      return one.second.state == ReplicationState::kRetained && one.second.until <= now;
    });
  }
}

void RedisReplicator::set_behind() {
  behind_ = true;
  health_.set_caught_up(false);
}

void RedisReplicator::set_unavailable(const std::string& why) {
  redis_.reset();
  set_behind();
  health_.set_unavailable(why);
}

void RedisReplicator::send(const Batch& batch) {
  const bool ready = connected();
  // Unknown until the reply: if the connection fails, Redis may have the entries or not.
  for (const redis_schema::Append& append : batch) {
    streams_.at(append.stream).apply(ReplicationEvent::kOffsetLost);
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

void RedisReplicator::on_append_reply(const redis_schema::Append& append,
                                      const redis_schema::Appended& answer) {
  using Result = redis_schema::Appended::Result;
  const auto found = streams_.find(append.stream);
  ReplicatedStream& stream = found->second;
  if (stream.moved) {
    stream.set_offset(answer.have);
    if (answer.result == Result::kOk) {
      stream.fence = answer.fence;
    }
    if (answer.result != Result::kOk || !is_lagging(stream.state)) {
      retain(stream);
    }
    return;
  }
  // Redis has more entries than the file, which lost its last ones in a power failure.
  const bool ahead = answer.have > std::max(stream.local, stream.at_claim);
  const bool fenced = answer.result == Result::kFenced || answer.result == Result::kFailedOver;
  // The append may be older than the resumption.
  if (fenced && append.contested == 0 && contested_.contains(append.stream)) {
    stream.apply(ReplicationEvent::kOffsetLost);
    set_behind();
    return;
  }
  if (ahead || fenced) {
    // The sender of a contested stream is here, and may continue on the other replica.
    const bool failed_over = ahead || answer.result == Result::kFailedOver || append.contested > 0;
    callbacks_.on_ownership_lost(append.stream, append.fence, failed_over);
    if (ahead) {
      streams_.erase(found);
    } else {
      stream.moved = true;
      retain(stream);
    }
    return;
  }
  if (answer.result == Result::kBusy) {
    callbacks_.on_channel_refused(append.stream);
    streams_.erase(found);
    return;
  }
  if (answer.result == Result::kSplit && !stream.ended) {
    log(LogLevel::kWarning,
        "Channel has senders on two replicas after an outage of Redis; viewers receive the sender "
        "of their replica",
        {{"stream", append.stream}, {"channel", append.channel}});
  }
  if (append.contested > 0) {
    callbacks_.on_ownership_confirmed(append.stream, answer.fence);
  }
  stream.set_offset(answer.have);
  stream.fence = answer.fence;
  stream.renew = Clock::now() + health_.options().retention / kRenewals;
  if (stream.ended && !is_lagging(stream.state)) {
    retain(stream);
  }
}

std::optional<Clock::duration> RedisReplicator::run_maintenance() {
  drop_retained();
  if (streams_.empty()) {
    return std::nullopt;
  }
  query_contested();
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
  return redis_ && behind_ ? Clock::duration::zero() : Clock::duration(kConnectionInterval);
}

// Asks Redis soon who owns them, also if they have no entries to send.
void RedisReplicator::query_contested() {
  for (const std::string& name : contested_.take_added()) {
    if (const auto found = streams_.find(name); found != streams_.end()) {
      found->second.apply(ReplicationEvent::kOffsetLost);
      set_behind();
    }
  }
}

// Reconnects to a Redis that was unavailable without waiting for a write, so that the backlog stays
// small. Also requests again the offsets that were read at the start: other replicas may have
// claimed the streams before the first heartbeat of this one.
void RedisReplicator::reconnect_if_replaced() {
  if (!health_.available() || (health_.connect_count() == connect_count_ && !verify_offsets_)) {
    return;
  }
  redis_.reset();
  if (!connected()) {
    return;
  }
  if (std::exchange(verify_offsets_, false)) {
    apply_to_all(ReplicationEvent::kOffsetLost);
  }
  replicate_backlog_until(Clock::now() + health_.options().timeout);
}

// Requests all unknown offsets first. Once they are known, new entries are sent in one batch.
void RedisReplicator::replicate_backlog_until(TimePoint until) {
  publish_starting();
  Batch unknown;
  for (const auto& [name, stream] : streams_) {
    if (stream.state == ReplicationState::kUnknown) {
      unknown.push_back(make_append(name, stream, /*late=*/true));
    }
  }
  if (!unknown.empty()) {
    send(unknown);
  }
  while (redis_ && Clock::now() < until && replicate_backlog()) {
  }
}

void RedisReplicator::publish_starting() {
  if (health_.connect_count() == 0) {
    publish_starting_heartbeat(*redis_, health_.options());
  }
}

// Replicates some entries of the oldest stream that has a backlog. This order keeps the order of
// streams on a channel. Returns false if there is no backlog.
bool RedisReplicator::replicate_backlog() {
  const auto oldest = oldest_backlog(streams_, Clock::now());
  if (oldest == streams_.end()) {
    return false;
  }
  publish_starting();
  const std::string name = oldest->first;
  try {
    replicate_backlog(name, oldest->second);
  } catch (const RedisRefusal& refusal) {
    quarantine(name, refusal.what());
  } catch (const RedisError&) {
    throw;
  } catch (const std::exception& failure) {  // the file cannot be read
    quarantine(name, failure.what());
  }
  return true;
}

void RedisReplicator::replicate_backlog(const std::string& name, ReplicatedStream& stream) {
  const bool known = offset_known(stream.state);
  const redis_schema::Append append =
      known ? missing(name, stream) : make_append(name, stream, /*late=*/true);
  if (known && append.entries.empty()) {
    streams_.erase(name);  // the file has purged it
    return;
  }
  redis_schema::send_append(*redis_, append);
  on_append_reply(append, redis_schema::receive_append(*redis_));
  if (known) {
    health_.metrics().backplane_backlog(static_cast<int>(append.entries.size()));
  }
}

void RedisReplicator::quarantine(const std::string& name, const std::string& why) {
  ReplicatedStream& stream = streams_.at(name);
  if (!in_quarantine(stream.state)) {
    log(LogLevel::kError,
        "Stream quarantined: its replication failed and is retried; it continues here meanwhile",
        {{"stream", name}, {"error", why}});
  }
  stream.apply(ReplicationEvent::kFailed);
  stream.until = Clock::now() + kQuarantine;
  contested_.remove(name);
}

// Extends the expiry of the keys of silent streams.
void RedisReplicator::renew() {
  const TimePoint now = Clock::now();
  std::vector<ReplicatedStreams::iterator> due;
  for (auto one = streams_.begin(); one != streams_.end() && due.size() < kRenewAtOnce; ++one) {
    if (offset_known(one->second.state) && one->second.renew <= now) {
      due.push_back(one);
    }
  }
  const std::string retention = std::to_string(health_.options().retention.count());
  const auto send = [&](const char* kind, const std::string& name) {
    redis_->send({"PEXPIRE", redis_schema::key(kind, name), retention});
  };
  const RedisConnection::Pipeline pipeline(*redis_);
  for (const auto& one : due) {
    send("story", one->first);
    send("owner", one->first);
    send("sender", one->second.channel);
    send("order", one->second.channel);
  }
  for (const auto& one : due) {
    const bool there = redis_->receive().number == 1;
    for (int others = 3; others > 0; --others) {
      redis_->receive();
    }
    one->second.renew = now + health_.options().retention / kRenewals;
    if (!there) {  // Redis has lost it
      one->second.apply(ReplicationEvent::kOffsetLost);
      set_behind();
    }
  }
}

// Returns the next entries that Redis lacks. REQUIRES: the offset is known.
redis_schema::Append RedisReplicator::missing(const std::string& name,
                                              const ReplicatedStream& stream) {
  redis_schema::Append append = make_append(name, stream, /*late=*/true);
  for (JournalRow& row : local_.read_rows(name, stream.offset, kRowsAtOnce)) {
    const bool first = stream.offset == 0 && append.entries.empty();
    append.entries.push_back(first ? redis_schema::first_fields(local_.read_stream(name), row)
                                   : redis_schema::row_fields(row));
  }
  const std::int64_t rows = stream.local - (stream.ended ? 1 : 0);
  if (stream.ended && stream.offset + std::ssize(append.entries) >= rows) {
    append.entries.push_back(redis_schema::end_fields());
  }
  return append;
}

void RedisReplicator::count_behind() {
  ReplicationLag lag = lag_of(streams_, Clock::now());
  behind_ = lag.may_send;
  if (!lag.caught_up || lag.streams.size() > kMaxQuarantined) {
    health_.set_caught_up(false);
  } else {
    health_.set_caught_up(true, std::move(lag.streams));
  }
  health_.metrics().backplane_behind(lag.entries);
}

redis_schema::Append RedisReplicator::make_append(const std::string& name,
                                                  const ReplicatedStream& stream, bool late) const {
  const BackplaneOptions& options = health_.options();
  return {name,
          options.replica,
          stream.fence,
          stream.channel,
          options.retention,
          late,
          stream.ended,
          health_.membership_stable(),
          offset_known(stream.state) ? stream.offset + 1 : 1,
          !stream.moved && contested_.contains(name) ? stream.local : 0};
}

}  // namespace surtitle
