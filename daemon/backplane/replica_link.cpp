#include "daemon/backplane/replica_link.h"

#include <utility>

#include "daemon/access/secrets.h"
#include "daemon/log.h"

namespace surtitle {

using Result = FoundStream::Result;

ReplicaLink::ReplicaLink(LinkState& state, Answer orphan)
    : state_(state), orphan_(std::move(orphan)), thread_([this] { run(); }) {}

ReplicaLink::~ReplicaLink() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ReplicaLink::take(std::string stream, std::string key, bool here, Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back({std::move(stream), std::move(key), here, std::move(answer)});
  }
  wake_.notify_one();
}

void ReplicaLink::tell_away(std::string channel, std::string stream, bool away) {
  {
    const std::lock_guard lock(mutex_);
    aways_[std::move(stream)] = {std::move(channel), away};
    told_aways_ = false;
  }
  wake_.notify_one();
}

void ReplicaLink::take_no_orphans() {
  const std::lock_guard lock(mutex_);
  orphans_ = false;
}

void ReplicaLink::run() {
  while (true) {
    const std::optional<Request> request = next();
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) {
        break;
      }
    }
    try {
      if (Clock::now() >= beat_next_) {
        beat();
      }
      if (redis_) {
        tell_aways();
      }
      if (!request && redis_) {
        adopt_one();
      }
    } catch (const RedisError& failure) {
      redis_.reset();
      state_.set_away(failure.what());
    }
    if (request) {
      answer(*request);
    }
  }
  try {
    if (redis_) {
      redis_->ask({"DEL", shared_story::key("replica", state_.options().replica)});
    }
  } catch (const RedisError&) {  // it is forgotten by itself soon
  }
}

// A request, or nothing once it is time for something else.
std::optional<ReplicaLink::Request> ReplicaLink::next() {
  std::unique_lock lock(mutex_);
  const TimePoint until =
      redis_ && orphans_ && (!left_.empty() || !half_taken_.empty()) ? Clock::now() : beat_next_;
  wake_.wait_until(lock, until,
                   [&] { return stopping_ || !requests_.empty() || (redis_ && !told_aways_); });
  if (requests_.empty()) {
    return std::nullopt;
  }
  Request request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

void ReplicaLink::beat() {
  const BackplaneOptions& options = state_.options();
  beat_next_ = Clock::now() + options.heartbeat;
  if (!redis_) {
    auto redis = std::make_unique<RedisConnection>(options.url, options.patience);
    shared_story::load_scripts(*redis);
    redis_ = std::move(redis);
    const std::lock_guard lock(mutex_);
    told_aways_ = aways_.empty();
  }
  redis_->ask({"SET", shared_story::key("replica", options.replica), "1", "PX",
               std::to_string(options.replica_lives.count())});
  state_.set_up();
  sweep();
}

// Looks for streams whose replica is dead.
void ReplicaLink::sweep() {
  left_.clear();
  {
    const std::lock_guard lock(mutex_);
    if (!orphans_) {
      return;
    }
  }
  const RedisReply open = redis_->ask({"HGETALL", shared_story::key("open", "")});
  std::map<std::string, bool> lives{{state_.options().replica, true}};
  for (std::size_t i = 0; i + 1 < open.items.size(); i += 2) {
    const std::string& replica = open.items[i + 1].text;
    const auto [known, added] = lives.try_emplace(replica, true);
    if (added) {
      known->second = redis_->ask({"EXISTS", shared_story::key("replica", replica)}).number != 0;
    }
    if (!known->second) {
      left_.insert(open.items[i].text);
    }
  }
}

// One at a time: those who run here and those who ask go first.
void ReplicaLink::adopt_one() {
  if (half_taken_.empty() && !take_one_left()) {
    return;
  }
  const auto [stream, fence] = *half_taken_.begin();
  FoundStream found{Result::kHere, fence, read_story(stream)};
  const shared_story::Taken mine = shared_story::take(
      *redis_, {stream, state_.options().replica, fence, state_.options().keep, /*sweeps=*/true});
  half_taken_.erase(stream);
  if (mine.result != shared_story::Taken::Result::kMine) {
    return;  // it has gone on elsewhere since
  }
  state_.took(stream, {fence, static_cast<std::int64_t>(found.story->rows.size())});
  log(LogLevel::kInfo, "its replica is gone, it goes on here", {{"stream", stream}});
  orphan_(std::move(found));
}

// Of those whose replica is dead; false: there is none, or others were faster.
bool ReplicaLink::take_one_left() {
  if (left_.empty()) {
    return false;
  }
  const std::string stream = *left_.begin();
  left_.erase(left_.begin());
  const BackplaneOptions& options = state_.options();
  const RedisReply owner =
      redis_->ask({"HMGET", shared_story::key("owner", stream), "replica", "fence"});
  if (owner.items.size() != 2 || owner.items[0].nil) {  // forgotten by now
    redis_->ask({"HDEL", shared_story::key("open", ""), stream});
    return false;
  }
  if (redis_->ask({"EXISTS", shared_story::key("replica", owner.items[0].text)}).number != 0) {
    return false;
  }
  const shared_story::Taken taken = shared_story::take(
      *redis_, {stream, options.replica, std::stoll(owner.items[1].text), options.keep,
                /*sweeps=*/true});
  if (taken.result != shared_story::Taken::Result::kTaken) {
    return false;
  }
  half_taken_[stream] = taken.fence;
  return true;
}

void ReplicaLink::tell_aways() {
  std::map<std::string, Away> aways;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(told_aways_, true)) {
      return;
    }
    aways = aways_;
    std::erase_if(aways_, [](const auto& entry) { return !entry.second.away; });
  }
  for (const auto& [stream, away] : aways) {
    shared_story::tell_away(*redis_, away.channel, stream, away.away);
  }
}

void ReplicaLink::answer(const Request& request) {
  FoundStream found{Result::kAway};
  if (redis_) {
    try {
      found = find(request);
    } catch (const RedisError& failure) {
      redis_.reset();
      state_.set_away(failure.what());
      found = {Result::kAway};
    }
  }
  request.answer(std::move(found));
}

FoundStream ReplicaLink::find(const Request& request) {
  const RedisReply first =
      redis_->ask({"XRANGE", shared_story::key("story", request.stream), "-", "+", "COUNT", "1"});
  if (first.items.empty()) {
    return {Result::kNotFound};
  }
  const shared_story::Entry begun = shared_story::parse_entry(first.items.front());
  if (!begun.begins || !same_secret(begun.begins->key, request.key)) {
    return {Result::kNotFound};
  }
  using Taken = shared_story::Taken::Result;
  const shared_story::Taken taken = shared_story::take(
      *redis_, {request.stream, state_.options().replica, {}, state_.options().keep});
  if (taken.result == Taken::kUnknown) {
    return {Result::kNotFound};
  }
  if (taken.result == Taken::kEnded) {
    return {Result::kEnded, taken.fence, read_story(request.stream)};
  }
  if (taken.result == Taken::kMine && request.here) {
    return {Result::kHere, taken.fence, std::nullopt};
  }
  half_taken_[request.stream] = taken.fence;
  FoundStream found{Result::kHere, taken.fence, read_story(request.stream)};
  half_taken_.erase(request.stream);
  state_.took(request.stream, {taken.fence, static_cast<std::int64_t>(found.story->rows.size())});
  return found;
}

JournaledStory ReplicaLink::read_story(const std::string& stream) {
  constexpr std::size_t kAtOnce = 500;
  JournaledStory story;
  std::int64_t next = 1;
  while (true) {
    const RedisReply entries =
        redis_->ask({"XRANGE", shared_story::key("story", stream), std::to_string(next) + "-0", "+",
                     "COUNT", std::to_string(kAtOnce)});
    for (const RedisReply& item : entries.items) {
      shared_story::Entry entry = shared_story::parse_entry(item);
      if (entry.begins) {
        story.stream = *std::move(entry.begins);
        story.stream.name = stream;
      }
      if (entry.row) {
        story.rows.push_back(*std::move(entry.row));
      }
      story.ended = story.ended || entry.ends;
      next = entry.number + 1;
    }
    if (entries.items.size() < kAtOnce) {
      return story;
    }
  }
}

}  // namespace surtitle
