#include "daemon/backplane/ownership_manager.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "daemon/backplane/redis_schema.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kPollInterval{10};  // for the answer of an owner

}  // namespace

OwnershipManager::OwnershipManager(RedisHealth& health, const std::set<std::string>& here,
                                   ClaimAnswer orphan)
    : health_(health),
      heartbeats_(health),
      orphans_(health, here),
      histories_(health, orphans_, std::move(orphan)),
      claims_(health, orphans_, histories_),
      thread_([this] { run(); }) {}

OwnershipManager::~OwnershipManager() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void OwnershipManager::claim(ClaimRequest request) {
  post([this, request = std::move(request)] { claims_.add(request); });
}

void OwnershipManager::request_heartbeat() {
  post([this] { heartbeat_requested_ = true; });
}

void OwnershipManager::publish_detached(const std::string& channel, const std::string& stream,
                                        Detached detached) {
  post([this, channel, stream, detached] { detached_.set(channel, stream, detached); });
}

void OwnershipManager::republish_detached(const std::string& stream) {
  post([this, stream] { detached_.reset(stream); });
}

void OwnershipManager::register_stream(const std::string& stream) {
  post([this, stream] { orphans_.register_stream(stream); });
}

void OwnershipManager::unregister_stream(const std::string& stream) {
  post([this, stream] {
    detached_.erase(stream);
    orphans_.unregister_stream(stream);
  });
}

void OwnershipManager::reset_stream(const std::string& stream) {
  post([this, stream] {
    detached_.erase(stream);
    orphans_.reset_stream(stream);
  });
}

void OwnershipManager::unclaim(const std::string& stream, Fence fence, Reclaim reclaim) {
  post([this, stream, fence, reclaim] { orphans_.unclaim(stream, fence, reclaim); });
}

void OwnershipManager::next_orphan() {
  post([this] { orphans_.finish_adoption(); });
}

void OwnershipManager::set_full(bool full) {
  post([this, full] { orphans_.set_full(full); });
}

void OwnershipManager::stop_adopting() {
  post([this] { orphans_.stop(); });
}

void OwnershipManager::post(Task task) {
  {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

// Waits for tasks until the next round, and runs them. Returns false if the manager is being
// destroyed.
bool OwnershipManager::run_tasks() {
  std::vector<Task> tasks;
  {
    const MutexLock lock(mutex_);
    const TimePoint until = next_round();
    while (!stopping_ && tasks_.empty() && wake_.wait_until(mutex_, until)) {
    }
    if (stopping_) {
      return false;
    }
    tasks.swap(tasks_);
  }
  for (const Task& task : tasks) {
    task();
  }
  return true;
}

// Returns the time of the next round, unless a task arrives before.
TimePoint OwnershipManager::next_round() const {
  const TimePoint now = Clock::now();
  if (claims_.has_requests() || !histories_.empty() || (redis_ && orphans_.has_work())) {
    return now;
  }
  return claims_.waits_for_owner() ? std::min(next_heartbeat_, now + kPollInterval)
                                   : next_heartbeat_;
}

void OwnershipManager::run() {
  while (run_tasks()) {
    try {
      run_round();
    } catch (const std::exception& failure) {
      redis_.reset();
      health_.set_unavailable(failure.what());
    }
    if (!redis_) {
      histories_.abort();
      claims_.abort();
    }
  }
  try {
    if (redis_) {
      remove_heartbeat(*redis_, health_);
    }
  } catch (const RedisError&) {  // the heartbeat expires soon
  }
}

// Orphans that are found in this round are claimed in the next one, after the tasks: a task may
// register a stream that has begun here meanwhile.
void OwnershipManager::run_round() {
  const bool due = Clock::now() >= next_heartbeat_;
  if (due) {
    next_heartbeat_ = Clock::now() + health_.options().heartbeat;
    connect();
  }
  const bool requested = std::exchange(heartbeat_requested_, false);
  if (!redis_) {
    return;
  }
  if (due || requested) {
    heartbeats_.publish(*redis_);
  }
  if (due) {
    health_.set_available();
  }
  detached_.publish(*redis_, health_.options().replica);
  orphans_.unclaim_all(*redis_);
  if (const auto orphan = orphans_.claim_next(*redis_)) {
    histories_.add(
        {ClaimResult::Status::kOwned, orphan->fence, PagedHistoryReader(orphan->stream)});
  }
  if (due) {
    orphans_.find(*redis_);
  }
  claims_.begin_next(*redis_);
  claims_.poll_owners(*redis_);
  histories_.read_pages(*redis_);
}

void OwnershipManager::connect() {
  if (redis_) {
    return;
  }
  auto redis = std::make_unique<RedisConnection>(health_.options().url, health_.options().timeout);
  redis_schema::load_scripts(*redis);
  redis_ = std::move(redis);
  detached_.reset();
}

}  // namespace surtitle
