// Publishes the heartbeats of this replica.
//
// Thread-safety: none; one thread at a time. Errors: all functions throw RedisError.
#pragma once

#include <cstdint>

#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_health.h"

namespace surtitle {

class HeartbeatPublisher {
 public:
  explicit HeartbeatPublisher(const RedisHealth& health) : health_(health) {}

  // Publishes a heartbeat. Logs once if another live replica has the same identity.
  void publish(RedisConnection& redis);

 private:
  void check_duplicate_id(const RedisReply& before);

  const RedisHealth& health_;
  std::int64_t published_ = 0;
  bool duplicate_reported_ = false;
};

// Publishes a heartbeat without the consent to claims. It precedes the first one of the publisher:
// other replicas must not adopt the streams of a replica that starts.
void publish_starting_heartbeat(RedisConnection& redis, const BackplaneOptions& options);

// Removes the heartbeat of a replica that shuts down. If Redis lacks entries, the heartbeat stays
// until it expires. Until then, no other replica adopts the streams from an older state.
void remove_heartbeat(RedisConnection& redis, const RedisHealth& health);

}  // namespace surtitle
