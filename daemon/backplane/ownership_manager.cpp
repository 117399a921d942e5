#include "daemon/backplane/ownership_manager.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/base/crypto.h"
#include "daemon/base/log.h"
#include "daemon/journal/journal_codec.h"

namespace surtitle {

using Status = ClaimResult::Status;

namespace {

constexpr std::chrono::milliseconds kPollInterval{10};     // for the answer of an owner
constexpr std::chrono::milliseconds kHandoffTimeout{300};  // for the answer of an owner
constexpr std::size_t kReadings = 4;                       // histories in memory at the same time

}  // namespace

OwnershipManager::OwnershipManager(RedisHealth& health, const std::set<std::string>& here,
                                   Answer orphan)
    : health_(health), orphan_(std::move(orphan)) {
  for (const std::string& stream : here) {
    ran_[stream] = true;
  }
  thread_ = std::thread([this] { run(); });
}

OwnershipManager::~OwnershipManager() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void OwnershipManager::claim(Request request) {
  {
    const MutexLock lock(mutex_);
    requests_.push_back(std::move(request));
  }
  wake_.notify_one();
}

void OwnershipManager::request_heartbeat() {
  {
    const MutexLock lock(mutex_);
    heartbeat_requested_ = true;
  }
  wake_.notify_one();
}

void OwnershipManager::publish_detached(std::string channel, std::string stream, bool detached) {
  {
    const MutexLock lock(mutex_);
    detached_[std::move(stream)] = {std::move(channel), detached};
    detached_published_ = false;
  }
  wake_.notify_one();
}

void OwnershipManager::register_stream(const std::string& stream) {
  const MutexLock lock(mutex_);
  ran_[stream] = true;
}

void OwnershipManager::unregister_stream(const std::string& stream) {
  const MutexLock lock(mutex_);
  detached_.erase(stream);
  if (const auto known = ran_.find(stream); known != ran_.end()) {
    known->second = false;
  }
}

void OwnershipManager::reset_stream(const std::string& stream) {
  const MutexLock lock(mutex_);
  detached_.erase(stream);
  ran_.erase(stream);
}

void OwnershipManager::unclaim(std::string stream, std::int64_t fence, Reclaim reclaim) {
  {
    const MutexLock lock(mutex_);
    unclaimed_.push_back({std::move(stream), fence, reclaim});
  }
  wake_.notify_one();
}

void OwnershipManager::next_orphan() {
  {
    const MutexLock lock(mutex_);
    adopting_ = false;
  }
  wake_.notify_one();
}

void OwnershipManager::set_full(bool full) {
  const MutexLock lock(mutex_);
  full_ = full;
}

void OwnershipManager::stop_adopting() {
  const MutexLock lock(mutex_);
  adopts_orphans_ = false;
}

void OwnershipManager::run() {
  while (true) {
    std::optional<Request> request = next();
    {
      const MutexLock lock(mutex_);
      if (stopping_) {
        break;
      }
    }
    try {
      run_maintenance();
    } catch (const std::exception& failure) {
      set_unavailable(failure.what());
    }
    if (request && request->cancelled()) {
      request->answer({Status::kRetryLater});
    } else if (request) {
      begin(*std::move(request));
    }
    poll_handoffs();
    read_on();
  }
  try {
    // If Redis lacks entries, the heartbeat stays until it expires. No other replica adopts the
    // streams from an older state before.
    if (redis_ && health_.caught_up() && health_.lagging_streams().empty()) {
      redis_->ask({"DEL", redis_schema::key("replica", health_.options().replica)});
    }
  } catch (const RedisError&) {  // the heartbeat expires soon
  }
}

bool OwnershipManager::may_adopt() const {
  return redis_ && adopts_orphans_ && !full_ && !adopting_ &&
         !(orphans_.empty() && claimed_unread_.empty());
}

bool OwnershipManager::has_work() const {
  return stopping_ || !requests_.empty() || !readings_.empty() ||
         (redis_ &&
          (!detached_published_ || heartbeat_requested_ || !unclaimed_.empty() || may_adopt()));
}

// Waits for work. Returns a request, or nullopt if there is other work.
std::optional<OwnershipManager::Request> OwnershipManager::next() {
  const MutexLock lock(mutex_);
  const TimePoint now = Clock::now();
  TimePoint until = next_heartbeat_;
  if (!pending_handoffs_.empty()) {
    until = std::min(until, now + kPollInterval);
  }
  while (!has_work() && wake_.wait_until(mutex_, until)) {
  }
  if (requests_.empty() || readings_.size() >= kReadings) {
    return std::nullopt;
  }
  Request request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

// Publishes heartbeats and states, and works on orphans.
void OwnershipManager::run_maintenance() {
  bool asked = false;
  {
    const MutexLock lock(mutex_);
    asked = std::exchange(heartbeat_requested_, false);
  }
  if (Clock::now() >= next_heartbeat_) {
    next_heartbeat_ = Clock::now() + health_.options().heartbeat;
    if (!redis_) {
      connect();
    }
    publish_heartbeat();
    health_.set_available();
    find_orphans();
  } else if (asked && redis_) {
    publish_heartbeat();
  }
  if (redis_) {
    publish_all_detached();
    unclaim_all();
    adopt_one();
  }
}

void OwnershipManager::connect() {
  auto redis = std::make_unique<RedisConnection>(health_.options().url, health_.options().timeout);
  redis_schema::load_scripts(*redis);
  redis_ = std::move(redis);
  const MutexLock lock(mutex_);
  for (auto& [stream, now] : detached_) {
    now.published = false;
  }
  detached_published_ = detached_.empty();
}

void OwnershipManager::publish_heartbeat() {
  const BackplaneOptions& options = health_.options();
  const bool caught_up = health_.caught_up();
  const redis_schema::HeartbeatRecord heartbeat{options.journal_location, caught_up,
                                                health_.lagging_streams()};
  redis_->send({"GET", redis_schema::key("replica", options.replica)});
  redis_->send(heartbeat.command(options.replica, ++heartbeats_, options.heartbeat_ttl));
  const RedisReply before = redis_->receive();
  redis_->receive();
  check_duplicate_id(before);
}

// Ignores the heartbeat before the first one of this process: a dead process may have published it.
void OwnershipManager::check_duplicate_id(const RedisReply& before) {
  if (heartbeats_ > 1 && !before.nil && !duplicate_reported_ &&
      redis_schema::parse_heartbeat(before.text).journal_location !=
          health_.options().journal_location) {
    duplicate_reported_ = true;
    log(LogLevel::kError,
        "Duplicate replica identity: the journal of another replica is a copy; restart one of the "
        "two to give it a new identity",
        {{"replica", health_.options().replica}});
  }
}

void OwnershipManager::publish_all_detached() {
  std::map<std::string, DetachedState> changed;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(detached_published_, true)) {
      return;
    }
    std::copy_if(detached_.begin(), detached_.end(), std::inserter(changed, changed.end()),
                 [](const auto& entry) { return !entry.second.published; });
  }
  for (const auto& [stream, now] : changed) {
    try {
      redis_schema::publish_detached(*redis_, now.channel, stream, health_.options().replica,
                                     now.detached);
    } catch (const RedisRefusal& failure) {
      log(LogLevel::kError, "Stream state not published to other replicas",
          {{"stream", stream}, {"error", failure.what()}});
    }
    const MutexLock lock(mutex_);
    const auto found = detached_.find(stream);
    if (found != detached_.end() && found->second.detached == now.detached) {
      found->second.published = true;
      if (!now.detached) {
        detached_.erase(found);
      }
    }
  }
}

// Histories that were read in part are read again once Redis is available.
void OwnershipManager::set_unavailable(const std::string& why) {
  redis_.reset();
  health_.set_unavailable(why);
  for (Reading& reading : std::exchange(readings_, {})) {
    if (reading.status == Status::kOwned) {
      claimed_unread_[reading.reader.stream()] = reading.fence;
    }
    if (reading.request) {
      reading.request->answer({Status::kUnavailable});
    } else {
      next_orphan();
    }
  }
}

// Answers the request, or queues it until the owner has answered or the history is read.
void OwnershipManager::begin(Request request) {
  std::optional<ClaimResult> claim = ClaimResult{Status::kUnavailable};
  if (redis_) {
    try {
      claim = refusal(request);
      if (!claim && !request_handoff(request)) {
        claim = find(request, std::nullopt);
      }
    } catch (const RedisRefusal& failure) {
      claim = refuse(request.wanted.stream, failure.what());
    } catch (const std::exception& failure) {
      set_unavailable(failure.what());
      claim = {Status::kUnavailable};
    }
  }
  if (claim) {
    request.answer(*std::move(claim));
  }
}

// Asks the owner of the stream for its consent. Returns false if no other live replica owns it.
// REQUIRES: refusal() has returned nullopt.
bool OwnershipManager::request_handoff(Request& request) {
  const RedisReply now =
      redis_->ask({"HMGET", redis_schema::key("owner", request.wanted.stream), "replica", "fence"});
  const std::string owner = now.items.empty() ? "" : now.items.front().text;
  if (owner.empty() || owner == health_.options().replica) {
    return false;
  }
  const std::optional<std::string> heartbeat = heartbeat_of(owner);
  if (!heartbeat && health_.membership_stable()) {
    return false;
  }
  const std::string wake = redis_schema::key("wake", owner);
  redis_->ask({"XADD", wake, "MAXLEN", redis_schema::kWakeUps, "*", "beat", "1"});
  redis_->ask({"PEXPIRE", wake, std::to_string(health_.options().retention.count())});
  pending_handoffs_.push_back({std::move(request), owner,
                               redis_schema::to_number(now.items.back().text),
                               heartbeat.value_or(""), Clock::now() + kHandoffTimeout});
  return true;
}

void OwnershipManager::poll_handoffs() {
  for (PendingHandoff& waiting : std::exchange(pending_handoffs_, {})) {
    if (waiting.request.cancelled()) {
      waiting.request.answer({Status::kRetryLater});
      continue;
    }
    std::optional<ClaimResult> claim = ClaimResult{Status::kUnavailable};
    if (redis_) {
      try {
        const HandoffState answer = handoff_state(waiting);
        if (answer == HandoffState::kNotYet) {
          pending_handoffs_.push_back(std::move(waiting));
          continue;
        }
        claim = answer == HandoffState::kGiven ? find(waiting.request, waiting.fence)
                                               : ClaimResult{Status::kRetryLater};
      } catch (const RedisRefusal& failure) {
        claim = refuse(waiting.request.wanted.stream, failure.what());
      } catch (const std::exception& failure) {
        set_unavailable(failure.what());
      }
    }
    if (claim) {
      waiting.request.answer(*std::move(claim));
    }
  }
}

OwnershipManager::HandoffState OwnershipManager::handoff_state(const PendingHandoff& waiting) {
  const std::optional<std::string> heartbeat = heartbeat_of(waiting.owner);
  const bool given =
      heartbeat
          ? *heartbeat != waiting.heartbeat &&
                redis_schema::parse_heartbeat(*heartbeat).has_all_of(waiting.request.wanted.stream)
          : health_.membership_stable();  // the owner is dead
  if (given) {
    return HandoffState::kGiven;
  }
  if (Clock::now() < waiting.until) {
    return HandoffState::kNotYet;
  }
  return covers(waiting.request.wanted) ? HandoffState::kGiven : HandoffState::kRefused;
}

// Returns nullopt if the stream is in Redis and the key is right, otherwise the answer.
std::optional<ClaimResult> OwnershipManager::refusal(const Request& request) {
  const RedisReply first = redis_->ask(
      {"XRANGE", redis_schema::key("story", request.wanted.stream), "-", "+", "COUNT", "1"});
  if (first.items.empty()) {
    // If the stream has an owner, the owner is sending the history again.
    const bool owned =
        redis_->ask({"EXISTS", redis_schema::key("owner", request.wanted.stream)}).number == 1;
    return ClaimResult{owned                         ? Status::kRetryLater
                       : health_.membership_stable() ? Status::kNotFound
                                                     : Status::kUnavailable};
  }
  const redis_schema::Entry begun = redis_schema::parse_entry(first.items.front());
  if (!begun.begins || !same_secret(begun.begins->key, request.wanted.key)) {
    return ClaimResult{Status::kNotFound};
  }
  if (rejected_.contains(request.wanted.stream)) {
    return ClaimResult{Status::kRetryLater};
  }
  return std::nullopt;
}

// Claims the stream. Returns the answer, or nullopt if the history must be read before.
std::optional<ClaimResult> OwnershipManager::find(Request& request,
                                                  std::optional<std::int64_t> fence) {
  const std::string& stream = request.wanted.stream;
  if (may_be_stale(request, fence)) {
    return ClaimResult{Status::kRetryLater};
  }
  using Result = redis_schema::Claimed::Result;
  const redis_schema::Claimed claimed =
      redis_schema::claim(*redis_,
                          {stream, health_.options().replica, fence, health_.options().retention,
                           /*failover=*/false, request.cancelled},
                          health_.options().timeout);
  if (claimed.result == Result::kUnknown) {
    return ClaimResult{Status::kRetryLater};  // another replica was faster, or is sending it again
  }
  if (claimed.result == Result::kMine && request.here) {
    return ClaimResult{Status::kOwned, claimed.fence, std::nullopt};
  }
  const bool ended = claimed.result == Result::kEnded;
  if (!ended) {
    claimed_unread_.erase(stream);
    const MutexLock lock(mutex_);
    ran_[stream] = true;
  }
  PagedHistoryReader reader(stream);
  readings_.push_back({ended ? Status::kEnded : Status::kOwned, claimed.fence, std::move(reader),
                       std::move(request)});
  return std::nullopt;
}

// Returns true if Redis may have an older state of the stream. If Redis lost its data, an earlier
// owner may have sent its rows before the present owner. A stream that runs here is at least as far
// as the state in Redis.
bool OwnershipManager::may_be_stale(const Request& request, std::optional<std::int64_t> fence) {
  const bool own = request.here && !fence;
  return !own && !health_.membership_stable() && !covers(request.wanted);
}

bool OwnershipManager::covers(const protocol::Resume& wanted) {
  return read_offsets(*redis_, wanted.stream).covers(wanted);
}

// Reads a page of each history.
void OwnershipManager::read_on() {
  for (std::size_t left = readings_.size(); left > 0 && !readings_.empty(); --left) {
    try {
      const bool more = readings_.front().reader.read(*redis_);
      const bool lost = !more && !is_mine(readings_.front());
      Reading reading = std::move(readings_.front());
      readings_.pop_front();
      if (more) {
        readings_.push_back(std::move(reading));
      } else if (lost) {
        unregister_stream(reading.reader.stream());
        next_orphan();
      } else {
        finish(std::move(reading));
      }
    } catch (const RedisRefusal& failure) {
      const Reading reading = std::move(readings_.front());
      readings_.pop_front();
      leave_unread(reading, failure.what());
    } catch (const std::exception& failure) {
      set_unavailable(failure.what());
    }
  }
}

void OwnershipManager::finish(Reading reading) {
  ClaimResult claim{reading.status, reading.fence, reading.reader.release()};
  if (reading.request) {
    reading.request->answer(std::move(claim));
    return;
  }
  log(LogLevel::kInfo, "Orphan claimed", {{"stream", claim.history->stream.name}});
  orphan_(std::move(claim));
}

// This replica does not adopt the stream while it is open in Redis.
ClaimResult OwnershipManager::refuse(const std::string& stream, const std::string& why) {
  if (rejected_.insert(stream).second) {
    log(LogLevel::kError, "Stream cannot continue here; left to other replicas",
        {{"stream", stream}, {"error", why}});
  }
  return {Status::kRetryLater};
}

void OwnershipManager::leave_unread(const Reading& reading, const std::string& why) {
  const ClaimResult later = refuse(reading.reader.stream(), why);
  if (reading.status == Status::kOwned) {
    unclaim(reading.reader.stream(), reading.fence, Reclaim::kNever);
    unregister_stream(reading.reader.stream());
  }
  if (reading.request) {
    reading.request->answer(later);
  } else {
    next_orphan();
  }
}

// Returns nullopt if the replica is dead.
std::optional<std::string> OwnershipManager::heartbeat_of(const std::string& replica) {
  RedisReply heartbeat = redis_->ask({"GET", redis_schema::key("replica", replica)});
  return heartbeat.nil ? std::nullopt : std::optional(std::move(heartbeat.text));
}

}  // namespace surtitle
