#include "daemon/access/client_limits.h"

namespace surtitle {
namespace {

// Parses "192.0.2.1", "192.0.2.1:4711" or "[2001:db8::1]:4711", ignoring spaces and quotes around.
std::optional<IpAddress> parse_forwarded(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\"");
  const std::size_t end = text.find_last_not_of(" \t\"");
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  text = text.substr(begin, end + 1 - begin);
  if (text.starts_with('[')) {
    return parse_address(text.substr(1, std::min(text.find(']'), text.size()) - 1));
  }
  if (const auto address = parse_address(text)) {
    return address;
  }
  return parse_address(text.substr(0, text.rfind(':')));
}

}  // namespace

IpAddress ClientLimits::client_behind(const IpAddress& proxy,
                                      std::string_view forwarded_for) const {
  IpAddress last = proxy;
  while (!forwarded_for.empty()) {
    const std::size_t comma = forwarded_for.rfind(',');
    const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
    const auto address = parse_forwarded(forwarded_for.substr(begin));
    if (!address) {
      return last;
    }
    last = *address;
    if (!is_proxy(last) || comma == std::string_view::npos) {
      return last;
    }
    forwarded_for = forwarded_for.substr(0, comma);
  }
  return last;
}

std::shared_ptr<ClientQuota> ClientLimits::of_address(const IpAddress& address, TimePoint now) {
  return any_contains(options_.exempt, address) ? nullptr : addresses_.of(address.key(), now);
}

}  // namespace surtitle
