// Where Redis is: redis://[[USER]:PASSWORD@]HOST[:PORT][/DB].
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

struct RedisUrl {
  std::string host;  // "127.0.0.1", "::1", "redis.example.org"
  int port = 6379;
  int database = 0;
  std::string user;      // empty: Redis' default one
  std::string password;  // empty: none

  // For messages: without user and password.
  std::string place() const;
};

// User and password may hold %XX. Throws std::invalid_argument, "must be ...", without the text
// itself, which may hold a password.
RedisUrl parse_redis_url(std::string_view text);

}  // namespace surtitle
