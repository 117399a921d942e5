#include "daemon/backplane/detached_publisher.h"

#include "daemon/backplane/redis_schema.h"
#include "daemon/base/log.h"

namespace surtitle {

void DetachedPublisher::reset() {
  for (auto& [stream, state] : states_) {
    state.published = false;
  }
}

void DetachedPublisher::publish(RedisConnection& redis, const std::string& replica) {
  for (auto& [stream, state] : states_) {
    if (state.published) {
      continue;
    }
    try {
      redis_schema::publish_detached(redis, state.channel, stream, replica, state.detached);
    } catch (const RedisRefusal& failure) {
      log(LogLevel::kError, "Stream state not published to other replicas",
          {{"stream", stream}, {"error", failure.what()}});
    }
    state.published = true;
  }
  std::erase_if(states_,
                [](const auto& one) { return one.second.published && !one.second.detached; });
}

}  // namespace surtitle
