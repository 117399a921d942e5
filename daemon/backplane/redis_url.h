// The URL of Redis: redis://[[USER]:PASSWORD@]HOST[:PORT][/DB].
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

struct RedisUrl {
  std::string host;  // "127.0.0.1", "::1", "redis.example.org"
  int port = 6379;
  int database = 0;
  std::string user;      // empty: the default user of Redis
  std::string password;  // empty: none

  // Returns "HOST:PORT", for logs and error messages.
  std::string endpoint() const;
};

// Parses a URL. User and password may contain %XX. Throws std::invalid_argument, "must be
// ...", without the text itself, which may contain a password.
RedisUrl parse_redis_url(std::string_view text);

}  // namespace surtitle
