#include "daemon/backplane/detached_publisher.h"

#include <algorithm>
#include <chrono>

#include "daemon/backplane/redis_schema.h"
#include "daemon/base/log.h"

namespace surtitle {
namespace {

// Returns the time that the stream still waits for its sender, 0 if it does not wait.
std::chrono::milliseconds milliseconds_left(const Detached& detached) {
  using std::chrono::milliseconds;
  const TimePoint now = Clock::now();
  return detached.interrupted_until
             ? std::max(std::chrono::ceil<milliseconds>(*detached.interrupted_until - now),
                        milliseconds(1))
             : milliseconds(0);
}

}  // namespace

void DetachedPublisher::reset() {
  for (auto& [stream, state] : states_) {
    state.published = false;
  }
}

void DetachedPublisher::reset(const std::string& stream) {
  if (const auto state = states_.find(stream); state != states_.end()) {
    state->second.published = false;
  }
}

void DetachedPublisher::publish(RedisConnection& redis, const std::string& replica) {
  for (auto& [stream, state] : states_) {
    if (state.published) {
      continue;
    }
    try {
      redis_schema::publish_detached(redis, state.channel, stream, replica, state.now.detached,
                                     milliseconds_left(state.now));
    } catch (const RedisRefusal& failure) {
      log(LogLevel::kError, "Detached state of the stream not published to other replicas",
          {{"stream", stream}, {"error", failure.what()}});
    }
    state.published = true;
  }
  std::erase_if(states_,
                [](const auto& one) { return one.second.published && !one.second.now.detached; });
}

}  // namespace surtitle
