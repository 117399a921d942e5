// The options of the backplane, which all of its parts share.
//
// Thread-safety: a plain value.
#pragma once

#include <chrono>
#include <string>

#include "daemon/backplane/redis_url.h"

namespace surtitle {

struct BackplaneOptions {
  RedisUrl url;
  std::string replica;                     // identity of this replica, stored in its journal
  std::string journal_location = {};       // see replica_id.h
  std::chrono::milliseconds timeout{250};  // of a request to Redis
  // Between two heartbeats, and between attempts to connect to Redis.
  std::chrono::milliseconds heartbeat{1000};
  // A replica without a heartbeat for this time is dead.
  std::chrono::milliseconds heartbeat_ttl{5000};
  std::chrono::milliseconds retention{86'400'000};  // of a stream in Redis, after its last write
  // For this time after its end, a stream is sent again to a Redis that has lost it.
  std::chrono::milliseconds ended_retention{60'000};
};

}  // namespace surtitle
