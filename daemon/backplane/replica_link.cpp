#include "daemon/backplane/replica_link.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/access/secrets.h"
#include "daemon/journal/story.h"
#include "daemon/log.h"

namespace surtitle {

using Result = FoundStream::Result;

namespace {

constexpr std::chrono::milliseconds kLookAgain{10};  // whether an owner has answered
constexpr std::chrono::milliseconds kConsent{300};   // that it has for that

}  // namespace

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

void ReplicaLink::take(Request request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
  }
  wake_.notify_one();
}

void ReplicaLink::beat_soon() {
  {
    const std::lock_guard lock(mutex_);
    beat_asked_ = true;
  }
  wake_.notify_one();
}

void ReplicaLink::tell_away(std::string channel, std::string stream, bool away) {
  {
    const std::lock_guard lock(mutex_);
    cut_offs_[std::move(stream)] = {std::move(channel), away};
    told_cut_offs_ = false;
  }
  wake_.notify_one();
}

void ReplicaLink::forget(const std::string& stream) {
  const std::lock_guard lock(mutex_);
  cut_offs_.erase(stream);
}

void ReplicaLink::take_no_orphans() {
  const std::lock_guard lock(mutex_);
  orphans_ = false;
}

void ReplicaLink::run() {
  while (true) {
    std::optional<Request> request = next();
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) {
        break;
      }
    }
    try {
      keep_up();
      if (redis_ && !request && waiting_.empty()) {
        adopt_one();
      }
    } catch (const std::exception& failure) {
      away(failure.what());
    }
    if (request && !request->gone()) {
      begin(*std::move(request));
    }
    look_at_owners();
  }
  try {
    if (redis_ && state_.caught_up()) {  // else nobody goes on yet with what is behind
      redis_->ask({"DEL", shared_story::key("replica", state_.options().replica)});
    }
  } catch (const RedisError&) {  // it is forgotten by itself soon
  }
}

// A request, or nothing once it is time for something else.
std::optional<ReplicaLink::Request> ReplicaLink::next() {
  std::unique_lock lock(mutex_);
  const TimePoint now = Clock::now();
  TimePoint until = beat_next_;
  if (redis_ && orphans_ && (!left_.empty() || !half_taken_.empty())) {
    until = now;
  }
  if (!waiting_.empty()) {
    until = std::min(until, now + kLookAgain);
  }
  wake_.wait_until(lock, until, [&] {
    return stopping_ || !requests_.empty() || (redis_ && (!told_cut_offs_ || beat_asked_));
  });
  if (requests_.empty()) {
    return std::nullopt;
  }
  Request request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

// What is said at its time.
void ReplicaLink::keep_up() {
  bool asked = false;
  {
    const std::lock_guard lock(mutex_);
    asked = std::exchange(beat_asked_, false);
  }
  if (Clock::now() >= beat_next_) {
    beat_next_ = Clock::now() + state_.options().heartbeat;
    if (!redis_) {
      connect();
    }
    beat();
    state_.set_up();
    sweep();
  } else if (asked && redis_) {
    beat();
  }
  if (redis_) {
    tell_cut_offs();
  }
}

void ReplicaLink::connect() {
  auto redis = std::make_unique<RedisConnection>(state_.options().url, state_.options().patience);
  shared_story::load_scripts(*redis);
  redis_ = std::move(redis);
  const std::lock_guard lock(mutex_);
  for (auto& [stream, now] : cut_offs_) {
    now.told = false;
  }
  told_cut_offs_ = cut_offs_.empty();
}

// Between pieces of what takes long: who reads long stories lives.
void ReplicaLink::beat_in_time() {
  if (Clock::now() >= beat_next_) {
    beat_next_ = Clock::now() + state_.options().heartbeat;
    beat();
  }
}

void ReplicaLink::beat() {
  const BackplaneOptions& options = state_.options();
  redis_->ask({"SET", shared_story::key("replica", options.replica),
               shared_story::pulse(++beats_, state_.caught_up()), "PX",
               std::to_string(options.replica_lives.count())});
}

// Looks for streams whose replica is dead.
void ReplicaLink::sweep() {
  left_.clear();
  {
    const std::lock_guard lock(mutex_);
    if (!orphans_ || !state_.settled()) {
      return;
    }
  }
  const RedisReply open = redis_->ask({"HGETALL", shared_story::key("open", "")});
  std::map<std::string, bool> lives{{state_.options().replica, true}};
  for (std::size_t i = 0; i + 1 < open.items.size(); i += 2) {
    const std::string& replica = open.items[i + 1].text;
    const auto [known, added] = lives.try_emplace(replica, true);
    if (added) {
      known->second = pulse_of(replica).has_value();
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
      *redis_, {stream, state_.options().replica, fence, state_.options().keep, /*sweeps=*/true},
      state_.options().patience);
  half_taken_.erase(stream);
  if (mine.result != shared_story::Taken::Result::kMine) {
    return;  // it has gone on elsewhere since
  }
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
  if (pulse_of(owner.items[0].text)) {
    return false;
  }
  const shared_story::Taken taken = shared_story::take(
      *redis_,
      {stream, options.replica, shared_story::to_number(owner.items[1].text), options.keep,
       /*sweeps=*/true},
      options.patience);
  if (taken.result != shared_story::Taken::Result::kTaken) {
    return false;
  }
  half_taken_[stream] = taken.fence;
  return true;
}

void ReplicaLink::tell_cut_offs() {
  std::map<std::string, CutOff> told;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(told_cut_offs_, true)) {
      return;
    }
    std::copy_if(cut_offs_.begin(), cut_offs_.end(), std::inserter(told, told.end()),
                 [](const auto& entry) { return !entry.second.told; });
  }
  for (const auto& [stream, now] : told) {
    shared_story::tell_away(*redis_, now.channel, stream, state_.options().replica, now.away);
    const std::lock_guard lock(mutex_);
    const auto found = cut_offs_.find(stream);
    if (found != cut_offs_.end() && found->second.away == now.away) {
      found->second.told = true;
      if (!now.away) {
        cut_offs_.erase(found);
      }
    }
  }
}

void ReplicaLink::away(const std::string& why) {
  redis_.reset();
  state_.set_away(why);
}

// Answers, or lets it wait.
void ReplicaLink::begin(Request request) {
  FoundStream found{Result::kAway};
  if (redis_) {
    try {
      if (std::optional<FoundStream> refused = refusal(request)) {
        found = *std::move(refused);
      } else if (wait_for_owner(request)) {
        return;
      } else {
        found = find(request, std::nullopt);
      }
    } catch (const std::exception& failure) {
      away(failure.what());
      found = {Result::kAway};
    }
  }
  request.answer(std::move(found));
}

// False: nobody else has it. REQUIRES: it is known.
bool ReplicaLink::wait_for_owner(Request& request) {
  const RedisReply now =
      redis_->ask({"HMGET", shared_story::key("owner", request.wanted.stream), "replica", "fence"});
  const std::string owner = now.items.empty() ? "" : now.items.front().text;
  if (owner.empty() || owner == state_.options().replica) {
    return false;
  }
  const std::optional<std::string> pulse = pulse_of(owner);
  if (!pulse && state_.settled()) {
    return false;
  }
  const std::string wake = shared_story::key("wake", owner);
  redis_->ask({"XADD", wake, "MAXLEN", "16", "*", "beat", "1"});
  redis_->ask({"PEXPIRE", wake, std::to_string(state_.options().keep.count())});
  waiting_.push_back({std::move(request), owner, shared_story::to_number(now.items.back().text),
                      pulse.value_or(""), Clock::now() + kConsent});
  return true;
}

void ReplicaLink::look_at_owners() {
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    if (waiting.request.gone()) {
      continue;
    }
    std::optional<FoundStream> found = FoundStream{Result::kAway};
    if (redis_) {
      try {
        found = after_waiting(waiting);
      } catch (const std::exception& failure) {
        away(failure.what());
      }
    }
    if (found) {
      waiting.request.answer(*std::move(found));
    } else {
      waiting_.push_back(std::move(waiting));
    }
  }
}

// Nothing: it waits on.
std::optional<FoundStream> ReplicaLink::after_waiting(const Waiting& waiting) {
  const std::optional<std::string> pulse = pulse_of(waiting.owner);
  const bool consents = pulse ? *pulse != waiting.pulse && shared_story::is_caught_up(*pulse)
                              : state_.settled();  // dead
  if (consents) {
    return find(waiting.request, waiting.fence);
  }
  if (Clock::now() < waiting.until) {
    return std::nullopt;
  }
  const Reach reach = reach_of(read_story(waiting.request.wanted.stream));
  const protocol::Resume& wanted = waiting.request.wanted;
  if (wanted.seq <= reach.seq && wanted.event <= reach.event) {
    return find(waiting.request, waiting.fence);
  }
  return FoundStream{Result::kLater};
}

// Nothing: it is there, and the key is right.
std::optional<FoundStream> ReplicaLink::refusal(const Request& request) {
  const RedisReply first = redis_->ask(
      {"XRANGE", shared_story::key("story", request.wanted.stream), "-", "+", "COUNT", "1"});
  if (first.items.empty()) {
    return FoundStream{state_.settled() ? Result::kNotFound : Result::kAway};
  }
  const shared_story::Entry begun = shared_story::parse_entry(first.items.front());
  if (!begun.begins || !same_secret(begun.begins->key, request.wanted.key)) {
    return FoundStream{Result::kNotFound};
  }
  return std::nullopt;
}

FoundStream ReplicaLink::find(const Request& request, std::optional<std::int64_t> fence) {
  const std::string& stream = request.wanted.stream;
  using Taken = shared_story::Taken::Result;
  const shared_story::Taken taken =
      shared_story::take(*redis_,
                         {stream, state_.options().replica, fence, state_.options().keep,
                          /*sweeps=*/false, request.gone},
                         state_.options().patience);
  if (taken.result == Taken::kUnknown) {
    return {fence ? Result::kLater : Result::kNotFound};  // another one was faster, or it is gone
  }
  if (taken.result == Taken::kEnded) {
    return {Result::kEnded, taken.fence, read_story(stream)};
  }
  if (taken.result == Taken::kMine && request.here) {
    return {Result::kHere, taken.fence, std::nullopt};
  }
  half_taken_[stream] = taken.fence;
  FoundStream found{Result::kHere, taken.fence, read_story(stream)};
  half_taken_.erase(stream);
  return found;
}

// Nothing: it is dead.
std::optional<std::string> ReplicaLink::pulse_of(const std::string& replica) {
  RedisReply pulse = redis_->ask({"GET", shared_story::key("replica", replica)});
  return pulse.nil ? std::nullopt : std::optional(std::move(pulse.text));
}

JournaledStory ReplicaLink::read_story(const std::string& stream) {
  constexpr std::size_t kAtOnce = 500;
  JournaledStory story;
  std::int64_t next = 1;
  while (true) {
    beat_in_time();
    const RedisReply entries =
        redis_->ask({"XRANGE", shared_story::key("story", stream), std::to_string(next) + "-0", "+",
                     "COUNT", std::to_string(kAtOnce)});
    for (const RedisReply& item : entries.items) {
      shared_story::Entry entry = shared_story::parse_entry(item);
      if (entry.number < next) {
        throw RedisError("Redis holds entries out of order");
      }
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
