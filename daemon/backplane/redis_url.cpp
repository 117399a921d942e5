#include "daemon/backplane/redis_url.h"

#include <charconv>
#include <stdexcept>

#include "daemon/base/uri.h"

namespace surtitle {
namespace {

constexpr int kLastPort = 65535;
constexpr int kLastDatabase = 1'000'000;

[[noreturn]] void refuse() {
  throw std::invalid_argument("must be redis://HOST:PORT/DB, such as redis://10.0.0.5:6379/0");
}

int number(std::string_view text, int least, int most) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end || value < least || value > most) {
    refuse();
  }
  return value;
}

std::string decoded(std::string_view text) {
  const auto plain = percent_decode(text);
  if (!plain) {
    refuse();
  }
  return *plain;
}

void read_login(std::string_view login, RedisUrl& url) {
  const std::size_t colon = login.find(':');
  if (colon == std::string_view::npos) {
    refuse();
  }
  url.user = decoded(login.substr(0, colon));
  url.password = decoded(login.substr(colon + 1));
}

void read_place(std::string_view place, RedisUrl& url) {
  std::size_t end = place.find(':');
  if (place.starts_with('[')) {  // IPv6
    const std::size_t bracket = place.find(']');
    if (bracket == std::string_view::npos) {
      refuse();
    }
    url.host = place.substr(1, bracket - 1);
    place.remove_prefix(bracket + 1);
    end = 0;
  } else {
    url.host = place.substr(0, end);
    place = end == std::string_view::npos ? std::string_view() : place.substr(end);
  }
  if (url.host.empty() || (!place.empty() && place.front() != ':')) {
    refuse();
  }
  if (!place.empty()) {
    url.port = number(place.substr(1), 1, kLastPort);
  }
}

}  // namespace

std::string RedisUrl::place() const {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

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
  text.remove_prefix(kScheme.size());
  RedisUrl url;
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    read_login(text.substr(0, at), url);
    text.remove_prefix(at + 1);
  }
  const std::size_t slash = text.find('/');
  read_place(text.substr(0, slash), url);
  if (slash != std::string_view::npos && slash + 1 < text.size()) {
    url.database = number(text.substr(slash + 1), 0, kLastDatabase);
  }
  return url;
}

}  // namespace surtitle
