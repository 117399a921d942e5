#include "daemon/access/host_allowlist.h"

#include <arpa/inet.h>

#include <algorithm>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

bool is_address(const std::string& host) {
  in_addr four{};
  in6_addr six{};
  if (host.starts_with('[') && host.ends_with(']')) {
    return inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six) == 1;
  }
  return inet_pton(AF_INET, host.c_str(), &four) == 1;
}

// Returns the name in lower case, without the port and without a final dot.
std::string name_of(std::string_view host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    host = host.substr(0, colon);
  }
  if (host.ends_with('.')) {
    host.remove_suffix(1);
  }
  return lower(host);
}

}  // namespace

bool HostAllowlist::allow(std::string_view host) const {
  const std::string name = name_of(host);
  if (name == "localhost" || name.ends_with(".localhost") || is_address(name)) {
    return true;
  }
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& given) {
    const std::string allowed = given == "*" ? given : name_of(given);
    return allowed == "*" || allowed == name ||
           (allowed.starts_with("*.") && name.size() >= allowed.size() &&
            name.ends_with(allowed.substr(1)));
  });
}

}  // namespace surtitle
