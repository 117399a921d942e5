#include "daemon/backplane/redis_url.h"

#include <stdexcept>

#include "daemon/base/text.h"
#include "daemon/base/url_parts.h"

namespace surtitle {
namespace {

constexpr int kLastDatabase = 1'000'000;

[[noreturn]] void refuse() {
  throw std::invalid_argument("must be redis://HOST:PORT/DB, such as redis://10.0.0.5:6379/0");
}

std::string decoded(std::string_view text) {
  const auto plain = percent_decode(text);
  if (!plain) {
    refuse();
  }
  return *plain;
}

}  // namespace

std::string RedisUrl::endpoint() const { return authority(host, std::to_string(port)); }

RedisUrl parse_redis_url(std::string_view text) {
  constexpr std::string_view kScheme = "redis://";
  if (text.starts_with("rediss://")) {
    throw std::invalid_argument(
        "must be redis://HOST:PORT/DB: TLS to Redis is not supported; use a tunnel such as "
        "stunnel");
  }
  if (!text.starts_with(kScheme)) {
    refuse();
  }
  const auto parts = split_url(text.substr(kScheme.size()));
  if (!parts || !parts->query.empty()) {
    refuse();
  }
  RedisUrl url;
  if (parts->login) {
    const std::size_t colon = parts->login->find(':');
    if (colon == std::string_view::npos) {
      refuse();
    }
    url.user = decoded(parts->login->substr(0, colon));
    url.password = decoded(parts->login->substr(colon + 1));
  }
  url.host = parts->host;
  url.port = parts->port.value_or(url.port);
  if (parts->path.size() > 1) {
    const auto database = parse_number(parts->path.substr(1), 0, kLastDatabase);
    if (!database) {
      refuse();
    }
    url.database = *database;
  }
  return url;
}

}  // namespace surtitle
