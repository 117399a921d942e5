#include "daemon/net/reachable_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace surtitle {
namespace {

std::optional<asio::ip::address> address_of(const sockaddr* socket_address) {
  if (socket_address == nullptr) {
    return std::nullopt;
  }
  if (socket_address->sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, socket_address, sizeof four);
    return asio::ip::address_v4(ntohl(four.sin_addr.s_addr));
  }
  if (socket_address->sa_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, socket_address, sizeof six);
    asio::ip::address_v6::bytes_type bytes{};
    std::memcpy(bytes.data(), &six.sin6_addr, bytes.size());
    return asio::ip::address_v6(bytes);
  }
  return std::nullopt;
}

bool is_link_local(const asio::ip::address& address) {
  constexpr unsigned kLinkLocal = 0xa9fe;  // 169.254.0.0/16
  return address.is_v6() ? address.to_v6().is_link_local()
                         : address.to_v4().to_uint() >> 16U == kLinkLocal;
}

// Returns the local address of the route to another network. Connecting a datagram socket sends
// nothing. The networks are those of documentation.
std::optional<asio::ip::address> default_route(bool six) {
  sockaddr_storage peer{};
  socklen_t size = 0;
  constexpr std::uint16_t kDiscard = 9;
  if (six) {
    auto& to = reinterpret_cast<sockaddr_in6&>(peer);
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(kDiscard);
    inet_pton(AF_INET6, "2001:db8::1", &to.sin6_addr);
    size = sizeof to;
  } else {
    auto& to = reinterpret_cast<sockaddr_in&>(peer);
    to.sin_family = AF_INET;
    to.sin_port = htons(kDiscard);
    inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
    size = sizeof to;
  }
  const int descriptor = socket(peer.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return std::nullopt;
  }
  sockaddr_storage own{};
  socklen_t own_size = sizeof own;
  const bool known = connect(descriptor, reinterpret_cast<sockaddr*>(&peer), size) == 0 &&
                     getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_size) == 0;
  close(descriptor);
  return known ? address_of(reinterpret_cast<const sockaddr*>(&own)) : std::nullopt;
}

bool is_for_others(const asio::ip::address& address) {
  return !address.is_loopback() && !address.is_unspecified() && !is_link_local(address);
}

// Returns the addresses of all interfaces that are up. A service without netlink sockets, such as
// that of deploy/systemd, cannot list them.
std::vector<asio::ip::address> interface_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    return {};
  }
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> list(first, freeifaddrs);
  std::vector<asio::ip::address> addresses;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    const auto address = address_of(one->ifa_addr);
    if (address && (one->ifa_flags & IFF_UP) != 0 && is_for_others(*address)) {
      addresses.push_back(*address);
    }
  }
  return addresses;
}

}  // namespace

std::vector<asio::ip::address> machine_addresses() {
  std::vector<asio::ip::address> addresses = interface_addresses();
  const auto four = default_route(/*six=*/false);
  const auto six = default_route(/*six=*/true);
  for (const auto& route : {four, six}) {
    if (route && is_for_others(*route) &&
        std::find(addresses.begin(), addresses.end(), *route) == addresses.end()) {
      addresses.push_back(*route);
    }
  }
  std::stable_sort(addresses.begin(), addresses.end(),
                   [&](const asio::ip::address& left, const asio::ip::address& right) {
                     const auto rank = [&](const asio::ip::address& address) {
                       return (address.is_v6() ? 2 : 0) +
                              (address == four || address == six ? 0 : 1);
                     };
                     return rank(left) < rank(right);
                   });
  return addresses;
}

std::vector<asio::ip::address> reachable_addresses(
    const asio::ip::address& listening, bool only_v6,
    const std::vector<asio::ip::address>& of_machine) {
  if (!listening.is_unspecified()) {
    return {listening};
  }
  std::vector<asio::ip::address> reachable;
  for (const asio::ip::address& address : of_machine) {
    if (address.is_v6() ? listening.is_v6() : listening.is_v4() || !only_v6) {
      reachable.push_back(address);
    }
  }
  if (reachable.empty()) {
    reachable.emplace_back(listening.is_v6() ? asio::ip::address(asio::ip::address_v6::loopback())
                                             : asio::ip::address(asio::ip::address_v4::loopback()));
  }
  return reachable;
}

}  // namespace surtitle
