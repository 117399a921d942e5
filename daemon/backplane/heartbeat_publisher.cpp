#include "daemon/backplane/heartbeat_publisher.h"

#include "daemon/backplane/redis_schema.h"
#include "daemon/base/log.h"

namespace surtitle {

void HeartbeatPublisher::publish(RedisConnection& redis) {
  const BackplaneOptions& options = health_.options();
  const bool caught_up = health_.caught_up();
  const redis_schema::HeartbeatRecord heartbeat{options.journal_location, caught_up,
                                                health_.lagging_streams()};
  redis.send({"GET", redis_schema::key("replica", options.replica)});
  redis.send(heartbeat.command(options.replica, ++published_, options.heartbeat_ttl));
  const RedisReply before = redis.receive();
  redis.receive();
  check_duplicate_id(before);
}

// Ignores the heartbeat before the first one of this process: a dead process may have published it.
void HeartbeatPublisher::check_duplicate_id(const RedisReply& before) {
  if (published_ > 1 && !before.nil && !duplicate_reported_ &&
      redis_schema::parse_heartbeat(before.text).journal_location !=
          health_.options().journal_location) {
    duplicate_reported_ = true;
    log(LogLevel::kError,
        "Duplicate replica identity: the journal of another replica is a copy; restart one of the "
        "two to give it a new identity",
        {{"replica", health_.options().replica}});
  }
}

void publish_starting_heartbeat(RedisConnection& redis, const BackplaneOptions& options) {
  const redis_schema::HeartbeatRecord heartbeat{options.journal_location, /*caught_up=*/false};
  redis.ask(heartbeat.command(options.replica, /*number=*/0, options.heartbeat_ttl));
}

void remove_heartbeat(RedisConnection& redis, const RedisHealth& health) {
  if (health.caught_up() && health.lagging_streams().empty()) {
    redis.ask({"DEL", redis_schema::key("replica", health.options().replica)});
  }
}

}  // namespace surtitle
