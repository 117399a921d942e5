#include "daemon/base/url_parts.h"

#include <algorithm>
#include <charconv>

#include "daemon/base/text.h"

namespace surtitle {
namespace {

constexpr int kLastPort = 65535;
constexpr auto kError = boost::system::in_place_error;

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned int byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const char* end = digits.data() + digits.size();
    if (digits.size() != 2 || std::from_chars(digits.data(), end, byte, 16).ptr != end ||
        byte == 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

std::pair<std::string_view, std::string_view> split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  return {target.substr(0, mark),
          mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1)};
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parts;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto name = percent_decode(part.substr(0, equals));
    const auto value = percent_decode(part.substr(std::min(equals + 1, part.size())));
    if (name && value && !name->empty()) {
      parts.emplace_back(*name, *value);
    }
  }
  return parts;
}

boost::system::result<UrlParts, std::string> split_url(std::string_view text) {
  UrlParts parts;
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    parts.login = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  const std::size_t question = std::min(text.find('?'), text.size());
  parts.query = text.substr(question);
  text = text.substr(0, question);
  const std::size_t slash = std::min(text.find('/'), text.size());
  parts.path = text.substr(slash);
  text = text.substr(0, slash);
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos) {
    parts.port = parse_number(text.substr(colon + 1), 1, kLastPort);
    text = text.substr(0, colon);
    if (!parts.port) {
      return {kError, "has a port that is not a number from 1 to 65535"};
    }
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
  } else if (text.find_first_of("[]:") != std::string_view::npos) {
    return {kError, "has a host that is neither a name nor an address (IPv6 must be in brackets)"};
  }
  if (text.empty()) {
    return {kError, "has no host"};
  }
  parts.host = text;
  return parts;
}

std::string authority(const std::string& host, const std::string& port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

}  // namespace surtitle
