// Addresses and networks of IPv4 and IPv6, as numbers.
//
// Thread-safety: plain values.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// IPv4 as ::ffff:a.b.c.d, so that both are one.
struct IpAddress {
  std::array<unsigned char, 16> bytes{};

  bool is_v4() const;
  bool is_loopback() const;
  // What one customer has: an IPv4 address, or the first 64 bits of an IPv6 one.
  std::string key() const;
};

// "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1".
std::optional<IpAddress> parse_address(std::string_view text);

struct IpNetwork {
  IpAddress first;
  int bits = 0;  // that all of its addresses have in common, of 128

  bool contains(const IpAddress& address) const;
};

// "192.0.2.0/24", "2001:db8::/32", or an address. Throws std::invalid_argument, "must be ...".
IpNetwork parse_network(std::string_view text);
std::vector<IpNetwork> parse_networks(const std::vector<std::string>& texts);

bool any_contains(const std::vector<IpNetwork>& networks, const IpAddress& address);

}  // namespace surtitle
