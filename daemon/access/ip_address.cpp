#include "daemon/access/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "daemon/base/text.h"

namespace surtitle {
namespace {

constexpr std::array<unsigned char, 12> kV4Begin{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr int kBitsOfByte = 8;
constexpr int kBits = 128;
constexpr int kV4Bits = 32;

}  // namespace

bool IpAddress::is_v4() const {
  return std::equal(kV4Begin.begin(), kV4Begin.end(), bytes.begin());
}

bool IpAddress::is_loopback() const {
  constexpr unsigned char kV4Loopback = 127;
  IpAddress six;
  six.bytes.back() = 1;
  return is_v4() ? bytes[12] == kV4Loopback : bytes == six.bytes;
}

std::string IpAddress::key() const {
  return {bytes.begin(), is_v4() ? bytes.end() : bytes.begin() + bytes.size() / 2};
}

std::optional<IpAddress> parse_address(std::string_view text) {
  const std::string whole(text);
  IpAddress address;
  if (inet_pton(AF_INET6, whole.c_str(), address.bytes.data()) == 1) {
    return address;
  }
  std::copy(kV4Begin.begin(), kV4Begin.end(), address.bytes.begin());
  return inet_pton(AF_INET, whole.c_str(), address.bytes.data() + kV4Begin.size()) == 1
             ? std::optional(address)
             : std::nullopt;
}

bool IpNetwork::contains(const IpAddress& address) const {
  for (int bit = 0; bit < bits; bit += kBitsOfByte) {
    const auto byte = static_cast<std::size_t>(bit / kBitsOfByte);
    const unsigned int differ = address.bytes.at(byte) ^ first.bytes.at(byte);
    const int counting = std::min(kBitsOfByte, bits - bit);
    if (differ >> static_cast<unsigned int>(kBitsOfByte - counting) != 0) {
      return false;
    }
  }
  return true;
}

IpNetwork parse_network(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto address = parse_address(text.substr(0, slash));
  if (address) {
    const bool v4 = text.substr(0, slash).find(':') == std::string_view::npos;
    const int most = v4 ? kV4Bits : kBits;
    int bits = most;
    const std::string_view length = text.substr(std::min(slash + 1, text.size()));
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
    const bool whole = slash == text.size();
    if (whole || (error == std::errc() && end == length.data() + length.size() && bits >= 0 &&
                  bits <= most)) {
      return {*address, (whole ? most : bits) + kBits - most};
    }
  }
  throw std::invalid_argument("must be IP addresses or networks such as 192.0.2.0/24, not " +
                              in_quotes(text));
}

std::vector<IpNetwork> parse_networks(const std::vector<std::string>& texts) {
  std::vector<IpNetwork> networks;
  networks.reserve(texts.size());
  for (const std::string& text : texts) {
    networks.push_back(parse_network(text));
  }
  return networks;
}

bool any_contains(const std::vector<IpNetwork>& networks, const IpAddress& address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const IpNetwork& network) { return network.contains(address); });
}

}  // namespace surtitle
