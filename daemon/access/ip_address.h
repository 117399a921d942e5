// Addresses and networks of IPv4 and IPv6, as numbers.
//
// Thread-safety: plain values; all functions may be called from any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// An IPv4 address is stored as ::ffff:a.b.c.d, so that both notations compare equal.
struct IpAddress {
  std::array<unsigned char, 16> bytes{};

  bool is_v4() const;
  bool is_loopback() const;
  // Returns the bytes that identify a client for quotas: an IPv4 address, or the first 64 bits of
  // an IPv6 address. One subscriber has all addresses with the same 64 bits.
  std::string key() const;
};

// Parses "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1". Returns nullopt if the text is no address.
std::optional<IpAddress> parse_address(std::string_view text);

struct IpNetwork {
  IpAddress first;
  int bits = 0;  // length of the common prefix, of 128

  bool contains(const IpAddress& address) const;
};

// Parse "192.0.2.0/24", "2001:db8::/32", or an address. Throw std::invalid_argument, "must be ...".
IpNetwork parse_network(std::string_view text);
std::vector<IpNetwork> parse_networks(const std::vector<std::string>& texts);

bool any_contains(const std::vector<IpNetwork>& networks, const IpAddress& address);

}  // namespace surtitle
