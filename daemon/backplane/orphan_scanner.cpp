#include "daemon/backplane/orphan_scanner.h"

#include <utility>

#include "daemon/backplane/redis_schema.h"
#include "daemon/base/log.h"

namespace surtitle {

OrphanScanner::OrphanScanner(const RedisHealth& health, const std::set<std::string>& here)
    : health_(health) {
  for (const std::string& stream : here) {
    ran_[stream] = true;
  }
}

// find() may have counted the stream as an orphan of an earlier process just before.
void OrphanScanner::register_stream(const std::string& stream) {
  ran_[stream] = true;
  unread_.erase(stream);
}

void OrphanScanner::unregister_stream(const std::string& stream) {
  if (const auto known = ran_.find(stream); known != ran_.end()) {
    known->second = false;
  }
}

void OrphanScanner::unclaim(std::string stream, Fence fence, Reclaim reclaim) {
  unclaimed_.push_back({{std::move(stream), fence}, reclaim});
}

void OrphanScanner::reject(const std::string& stream, const std::string& why) {
  if (rejected_.insert(stream).second) {
    log(LogLevel::kError, "Stream cannot continue here; left to other replicas",
        {{"stream", stream}, {"error", why}});
  }
}

bool OrphanScanner::may_claim() const {
  return !stopped_ && !full_ && !adopting_ && health_.membership_stable() &&
         !(orphans_.empty() && unread_.empty());
}

void OrphanScanner::find(RedisConnection& redis) {
  orphans_.clear();
  if (stopped_ || !health_.membership_stable()) {
    return;
  }
  // Otherwise a stream that is open in Redis may have ended here.
  const bool own = health_.caught_up();
  const std::string& self = health_.options().replica;
  std::map<std::string, bool> alive{{self, true}};
  std::set<std::string> all;
  const RedisReply open = redis.ask({"HGETALL", redis_schema::key("open", "")});
  for (std::size_t i = 0; i + 1 < open.items.size(); i += 2) {
    const std::string& stream = open.items[i].text;
    const std::string& replica = open.items[i + 1].text;
    all.insert(stream);
    if (is_rejected(stream)) {
      continue;
    }
    try {
      const auto [known, added] = alive.try_emplace(replica, true);
      if (added) {
        known->second = redis_schema::read_heartbeat(redis, replica).has_value();
      }
      if (!known->second) {
        orphans_.insert(stream);
      } else if (own && replica == self) {
        find_own(redis, stream);
      }
    } catch (const RedisRefusal& failure) {
      reject(stream, failure.what());
    }
  }
  std::erase_if(rejected_, [&](const std::string& stream) { return !all.contains(stream); });
  std::erase_if(ran_, [&](const auto& one) { return !one.second && !all.contains(one.first); });
}

void OrphanScanner::find_own(RedisConnection& redis, const std::string& stream) {
  if (ran_.contains(stream)) {
    return;
  }
  const auto owner = redis_schema::read_owner(redis, stream);
  if (owner && owner->replica == health_.options().replica) {
    unread_[stream] = owner->fence;
  }
}

std::optional<OrphanScanner::ClaimedOrphan> OrphanScanner::claim_next(RedisConnection& redis) {
  if (full_ && health_.membership_stable()) {  // other replicas may have room for these streams
    for (const auto& [stream, fence] : std::exchange(unread_, {})) {
      unclaim(stream, fence, Reclaim::kLater);
      ran_[stream] = false;
    }
  }
  if (!may_claim() || (unread_.empty() && !claim_first(redis))) {
    return std::nullopt;
  }
  ClaimedOrphan claimed{unread_.begin()->first, unread_.begin()->second};
  register_stream(claimed.stream);
  adopting_ = true;
  return claimed;
}

bool OrphanScanner::claim_first(RedisConnection& redis) {
  const std::string stream = *orphans_.begin();
  orphans_.erase(orphans_.begin());
  try {
    return claim(redis, stream);
  } catch (const RedisRefusal& failure) {
    reject(stream, failure.what());
    return false;
  }
}

// Returns false if another replica was faster, or if the stream has no owner to claim it from.
bool OrphanScanner::claim(RedisConnection& redis, const std::string& stream) {
  const BackplaneOptions& options = health_.options();
  const auto owner = redis_schema::read_owner(redis, stream);
  if (!owner) {  // the owner's key has expired
    redis.ask({"HDEL", redis_schema::key("open", ""), stream});
    return false;
  }
  if (redis_schema::read_heartbeat(redis, owner->replica)) {
    return false;
  }
  const redis_schema::ClaimReply claimed = redis_schema::claim(
      redis, {stream, options.replica, owner->fence, options.retention, /*failover=*/true},
      options.timeout);
  if (claimed.result != redis_schema::ClaimReply::Result::kClaimed) {
    return false;
  }
  unread_[stream] = claimed.fence;
  return true;
}

void OrphanScanner::unclaim_all(RedisConnection& redis) {
  while (!unclaimed_.empty()) {
    const auto& [claimed, reclaim] = unclaimed_.front();
    if (reclaim == Reclaim::kNever) {
      rejected_.insert(claimed.stream);
    }
    try {
      redis_schema::unclaim(redis, claimed.stream, health_.options().replica, claimed.fence);
    } catch (const RedisRefusal& failure) {
      reject(claimed.stream, failure.what());
    }
    unclaimed_.erase(unclaimed_.begin());
  }
}

}  // namespace surtitle
