// The part of OwnershipManager that finds, adopts and unclaims orphans.
#include <utility>

#include "daemon/backplane/ownership_manager.h"
#include "daemon/base/log.h"

namespace surtitle {

using Status = ClaimResult::Status;

// Finds the orphans among all open streams in Redis.
void OwnershipManager::find_orphans() {
  orphans_.clear();
  std::set<std::string> past;  // streams that ran here and are not open in Redis
  {
    const MutexLock lock(mutex_);
    if (!adopts_orphans_ || !health_.membership_stable()) {
      return;
    }
    for (const auto& [stream, runs] : ran_) {
      if (!runs) {
        past.insert(stream);
      }
    }
  }
  // Otherwise a stream that is open in Redis may have ended here.
  const bool own = health_.caught_up();
  const std::string& self = health_.options().replica;
  const RedisReply open = redis_->ask({"HGETALL", redis_schema::key("open", "")});
  std::map<std::string, bool> alive{{self, true}};
  std::set<std::string> rejected;
  for (std::size_t i = 0; i + 1 < open.items.size(); i += 2) {
    const std::string& stream = open.items[i].text;
    const std::string& replica = open.items[i + 1].text;
    past.erase(stream);
    if (rejected_.contains(stream)) {
      rejected.insert(stream);
      continue;
    }
    try {
      const auto [known, added] = alive.try_emplace(replica, true);
      if (added) {
        known->second = heartbeat_of(replica).has_value();
      }
      if (!known->second) {
        orphans_.insert(stream);
      } else if (own && replica == self) {
        find_own_orphan(stream);
      }
    } catch (const RedisRefusal& failure) {
      refuse(stream, failure.what());
      rejected.insert(stream);
    }
  }
  rejected_ = std::move(rejected);
  const MutexLock lock(mutex_);
  for (const std::string& stream : past) {
    if (const auto known = ran_.find(stream); known != ran_.end() && !known->second) {
      ran_.erase(known);
    }
  }
}

// Queues the stream if this replica owns it in Redis but never ran it: an earlier process of this
// replica claimed it.
void OwnershipManager::find_own_orphan(const std::string& stream) {
  {
    const MutexLock lock(mutex_);
    if (ran_.contains(stream)) {
      return;
    }
  }
  const RedisReply owner =
      redis_->ask({"HMGET", redis_schema::key("owner", stream), "replica", "fence"});
  if (owner.items.size() == 2 && owner.items[0].text == health_.options().replica) {
    claimed_unread_[stream] = redis_schema::to_number(owner.items[1].text);
  }
}

void OwnershipManager::adopt_one() {
  {
    const MutexLock lock(mutex_);
    if (full_) {  // other replicas may have room for these streams
      for (const auto& [stream, fence] : std::exchange(claimed_unread_, {})) {
        unclaimed_.push_back({stream, fence, Reclaim::kLater});
        ran_[stream] = false;
      }
    }
    if (!may_adopt()) {
      return;
    }
  }
  if (claimed_unread_.empty() && !claim_next_orphan()) {
    return;
  }
  const auto [stream, fence] = *claimed_unread_.begin();
  claimed_unread_.erase(claimed_unread_.begin());
  {
    const MutexLock lock(mutex_);
    adopting_ = true;
    ran_[stream] = true;
  }
  readings_.push_back({Status::kOwned, fence, PagedHistoryReader(stream)});
}

// Returns false if the next orphan could not be claimed, for example because another replica was
// faster.
bool OwnershipManager::claim_next_orphan() {
  const std::string stream = *orphans_.begin();
  orphans_.erase(orphans_.begin());
  try {
    return claim_orphan(stream);
  } catch (const RedisRefusal& failure) {
    refuse(stream, failure.what());
    return false;
  }
}

bool OwnershipManager::claim_orphan(const std::string& stream) {
  const BackplaneOptions& options = health_.options();
  const RedisReply owner =
      redis_->ask({"HMGET", redis_schema::key("owner", stream), "replica", "fence"});
  if (owner.items.size() != 2 || owner.items[0].nil) {  // the owner's key has expired
    redis_->ask({"HDEL", redis_schema::key("open", ""), stream});
    return false;
  }
  if (heartbeat_of(owner.items[0].text)) {
    return false;
  }
  const redis_schema::Claimed claimed = redis_schema::claim(
      *redis_,
      {stream, options.replica, redis_schema::to_number(owner.items[1].text), options.retention,
       /*failover=*/true},
      options.timeout);
  if (claimed.result != redis_schema::Claimed::Result::kClaimed) {
    return false;
  }
  claimed_unread_[stream] = claimed.fence;
  return true;
}

void OwnershipManager::unclaim_all() {
  std::vector<Unclaimed> all;
  {
    const MutexLock lock(mutex_);
    all = unclaimed_;
  }
  for (const Unclaimed& one : all) {
    if (one.reclaim == Reclaim::kNever) {
      rejected_.insert(one.stream);
    }
    try {
      redis_schema::unclaim(*redis_, one.stream, health_.options().replica, one.fence);
    } catch (const RedisRefusal& failure) {
      refuse(one.stream, failure.what());
    }
    const MutexLock lock(mutex_);
    unclaimed_.erase(unclaimed_.begin());
  }
}

// Returns false if another replica has claimed an orphan while its history was read.
bool OwnershipManager::is_mine(const Reading& reading) {
  const BackplaneOptions& options = health_.options();
  return reading.request || redis_schema::claim(*redis_,
                                                {reading.reader.stream(), options.replica,
                                                 reading.fence, options.retention,
                                                 /*failover=*/true},
                                                options.timeout)
                                    .result == redis_schema::Claimed::Result::kMine;
}

}  // namespace surtitle
