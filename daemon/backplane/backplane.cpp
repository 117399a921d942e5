#include "daemon/backplane/backplane.h"

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/backplane/replicated_journal_store.h"

namespace surtitle {

Backplane::Backplane(BackplaneHost& host, ChannelRegistry& channels, DaemonMetrics& metrics,
                     BackplaneOptions options, Post post)
    : host_(host),
      channels_(channels),
      post_(std::move(post)),
      health_(std::move(options), metrics) {}

Backplane::~Backplane() = default;

std::unique_ptr<JournalStore> Backplane::replicate(std::unique_ptr<LocalStore> local) {
  ReplicatedJournalStore::Callbacks callbacks;
  callbacks.on_ownership_lost = [this](std::string stream, Fence fence, bool failed_over) {
    post_([this, stream = std::move(stream), fence, failed_over] {
      contested_.remove(stream);
      on_ownership_lost(stream, fence, failed_over);
    });
  };
  callbacks.on_ownership_confirmed = [this](std::string stream, Fence fence) {
    post_([this, stream = std::move(stream), fence] { on_ownership_confirmed(stream, fence); });
  };
  callbacks.on_channel_refused = [this](std::string stream) {
    post_([this, stream = std::move(stream)] {
      contested_.remove(stream);
      host_.on_channel_refused(stream);
    });
  };
  return std::make_unique<ReplicatedJournalStore>(std::move(local), health_, contested_,
                                                  std::move(callbacks));
}

std::vector<std::string> Backplane::drop_moved_streams(std::vector<StreamSummary>& left) {
  std::vector<std::string> moved;
  try {
    RedisConnection redis(health_.options().url, health_.options().timeout);
    const RedisConnection::Pipeline pipeline(redis);
    for (const StreamSummary& summary : left) {
      redis.send(redis_schema::owner_query(summary.stream.name));
    }
    for (const StreamSummary& summary : left) {
      const std::string& name = summary.stream.name;
      const auto owner = redis_schema::parse_owner(redis.receive());
      if (owner && owner->replica != health_.options().replica) {
        moved.push_back(name);
      } else if (owner && !summary.ended) {
        fences_[name] = owner->fence;
      }
    }
  } catch (const std::exception& failure) {
    health_.set_unavailable(failure.what());
  }
  std::erase_if(left, [&](const StreamSummary& summary) {
    return std::find(moved.begin(), moved.end(), summary.stream.name) != moved.end();
  });
  for (const StreamSummary& summary : left) {
    if (!summary.ended) {
      fences_.try_emplace(summary.stream.name);
    }
  }
  return moved;
}

void Backplane::begin() {
  std::set<std::string> here;
  for (const auto& [stream, fence] : fences_) {
    here.insert(stream);
  }
  ownership_ = std::make_unique<OwnershipManager>(health_, here, [this](ClaimResult claim) {
    post_([this, claim = std::move(claim)] {
      adopt(claim);
      ownership_->next_orphan();
    });
  });
  ownership_->set_full(host_.full());
  tailer_ = std::make_unique<LogTailer>(health_, [this](TailerEvent event) {
    if (std::holds_alternative<HeartbeatRequested>(event)) {
      ownership_->request_heartbeat();
      return;
    }
    if (const auto* claimed = std::get_if<StreamClaimed>(&event)) {
      // This replica had an earlier fence than the new owner.
      post_([this, claimed = *claimed] {
        on_ownership_lost(claimed.stream, Fence(claimed.fence.value() - 1), claimed.failed_over);
      });
      return;
    }
    post_([this, event = std::move(event)] {
      follower_->on_event(event);
      tailer_->processed();
    });
  });
  ChannelFollower::Host host;
  host.fence = [this](const std::string& stream) -> std::optional<Fence> {
    const auto found = fences_.find(stream);
    return found == fences_.end() ? std::nullopt : std::optional(found->second);
  };
  host.on_ownership_lost = [this](const std::string& stream, bool failed_over) {
    if (!contested_.contains(stream)) {
      host_.on_ownership_lost(stream, failed_over);
    }
  };
  follower_.emplace(*tailer_, channels_, std::move(host));
}

// The stream has an owner with a later fence than this; 0: unknown.
void Backplane::on_ownership_lost(const std::string& stream, Fence fence, bool failed_over) {
  const auto known = fences_.find(stream);
  if (fence != Fence() && known != fences_.end() && known->second > fence) {
    return;  // this replica has claimed it again since
  }
  if (contested_.contains(stream)) {
    return;  // the reply to its next append decides
  }
  host_.on_ownership_lost(stream, failed_over);
  // Also if this replica still owns the stream, but Redis has more entries than its file. Then it
  // may adopt the stream again.
  if (failed_over && ownership_) {
    ownership_->reset_stream(stream);
  }
}

// If the stream was claimed back, Redis has it as attached.
void Backplane::on_ownership_confirmed(const std::string& stream, Fence fence) {
  contested_.remove(stream);
  if (const auto known = fences_.find(stream); known != fences_.end()) {
    known->second = std::max(known->second, fence);
    ownership_->republish_detached(stream);
  }
}

// Restores a claimed stream. Returns true if it runs here. If it runs already under this fence, it
// has continued since its history was read.
bool Backplane::adopt(const ClaimResult& claim) {
  const std::string& name = claim.history->stream.name;
  const auto known = fences_.find(name);
  if (known != fences_.end() && known->second >= claim.fence) {
    return true;
  }
  if (host_.draining()) {
    ownership_->unclaim(name, claim.fence, OwnershipManager::Reclaim::kLater);
    return false;
  }
  host_.on_ownership_lost(name, /*failed_over=*/false);  // drops an older copy of the stream
  if (host_.full()) {
    ownership_->unregister_stream(name);
    ownership_->set_full(true);
    ownership_->unclaim(name, claim.fence, OwnershipManager::Reclaim::kLater);
    return false;
  }
  host_.adopt(*claim.history, claim.fence);
  return fences_.contains(name);
}

void Backplane::resume(const protocol::Resume& resume, std::function<bool()> cancelled,
                       std::function<void(ClaimResult::Status)> done) {
  using Status = ClaimResult::Status;
  if (!redis_schema::is_stream_name(resume.stream)) {
    done(Status::kNotFound);
    return;
  }
  const auto answer = [this, stream = resume.stream, done = std::move(done)](ClaimResult claim) {
    post_([this, stream, done, claim = std::move(claim)] {
      if (claim.status == Status::kEnded) {
        host_.remember_ended_elsewhere(*claim.history);
      }
      const bool cannot = claim.status == Status::kOwned && claim.history && !adopt(claim);
      done(cannot ? Status::kRetryLater : claim.status);
    });
  };
  ownership_->claim(
      {resume, std::move(cancelled), /*here=*/fences_.contains(resume.stream), answer});
}

void Backplane::contest(const std::string& stream) { contested_.add(stream); }

void Backplane::publish_detached(const std::string& channel, const std::string& stream,
                                 Detached detached) {
  ownership_->publish_detached(channel, stream, detached);
}

void Backplane::stop_adopting() { ownership_->stop_adopting(); }

void Backplane::follow(const std::string& channel, std::function<void(bool all)> ready) {
  follower_->follow(channel, std::move(ready));
}

void Backplane::leave(const std::string& channel) { follower_->leave(channel); }

void Backplane::register_stream(const std::string& stream, Fence fence) {
  Fence& known = fences_[stream];
  known = std::max(known, fence);
  contested_.remove(stream);
  if (ownership_) {
    ownership_->register_stream(stream);
    ownership_->set_full(host_.full());
  }
}

void Backplane::unregister_stream(const std::string& stream) {
  fences_.erase(stream);
  if (ownership_) {
    ownership_->unregister_stream(stream);
    ownership_->set_full(host_.full());
  }
}

void Backplane::on_channel_claimed(const std::string& channel) {
  if (follower_) {
    follower_->on_channel_claimed(channel);
  }
}

void Backplane::unclaim(const std::string& stream, Fence fence) {
  ownership_->unclaim(stream, fence, OwnershipManager::Reclaim::kNever);
}

void Backplane::on_stream_moved(const std::string& channel, const std::string& stream) {
  follower_->on_stream_moved(channel, stream);
}

}  // namespace surtitle
