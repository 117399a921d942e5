#include "daemon/url.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "daemon/text.h"

namespace surtitle {
namespace {

constexpr std::array<std::string_view, 2> kSchemes{"ws://", "http://"};
constexpr std::string_view kForm = "an address is ws://HOST:PORT";

[[noreturn]] void fail(std::string_view text, const std::string& what) {
  throw std::invalid_argument(in_quotes(text) + " " + what + "; " + std::string(kForm));
}

std::string_view without_scheme(std::string_view text) {
  for (const std::string_view scheme : kSchemes) {
    if (text.starts_with(scheme)) {
      return text.substr(scheme.size());
    }
  }
  if (text.starts_with("wss://") || text.starts_with("https://")) {
    fail(text, "asks for encryption, which this program does not do");
  }
  fail(text, "does not begin with ws://");
}

bool is_plain(char c) { return c > ' ' && c < 0x7F && c != '"' && c != '@'; }

std::string checked_port(std::string_view text, std::string_view port) {
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number < 1 || number > 65535) {
    fail(text, "has a port that is no number from 1 to 65535");
  }
  return std::string(port);
}

}  // namespace

std::string Url::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

Url parse_url(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) {
    fail(text, "has characters that an address cannot have");
  }
  std::string_view rest = without_scheme(text);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t question = std::min(rest.find('?'), rest.size());
  const std::string_view query = rest.substr(question);
  rest = rest.substr(0, question);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view path = rest.substr(slash);
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  std::string_view host = rest.substr(0, slash);
  std::string port = "80";
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    port = checked_port(text, host.substr(colon + 1));
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of("[]:") != std::string_view::npos) {
    fail(text, "has a host that is neither a name nor an address (IPv6 stands in brackets)");
  }
  if (host.empty()) {
    fail(text, "names no host");
  }
  return {std::string(text), std::string(host), port, std::string(path), std::string(query)};
}

}  // namespace surtitle
