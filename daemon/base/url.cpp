#include "daemon/base/url.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "daemon/base/text.h"
#include "daemon/base/uri.h"

namespace surtitle {
namespace {

struct Scheme {
  std::string_view begin;
  bool tls;
};

constexpr std::array<Scheme, 4> kSchemes{
    {{"ws://", false}, {"http://", false}, {"wss://", true}, {"https://", true}}};
constexpr std::string_view kForm = "an address must be ws://HOST:PORT or wss://HOST:PORT";
constexpr std::string_view kToken = "token";

// Messages must not contain secrets.
std::string without_token(std::string_view text) {
  std::string shown(text.substr(0, text.find('?')));
  if (shown.size() < text.size()) {
    const bool secret = text.find("token=", shown.size()) != std::string_view::npos;
    shown += secret ? "?..." : text.substr(shown.size());
  }
  return shown;
}

[[noreturn]] void fail(std::string_view text, const std::string& what) {
  throw std::invalid_argument(in_quotes(without_token(text)) + " " + what + "; " +
                              std::string(kForm));
}

const Scheme& scheme_of(std::string_view text) {
  for (const Scheme& scheme : kSchemes) {
    if (text.starts_with(scheme.begin)) {
      return scheme;
    }
  }
  fail(text, "does not begin with ws:// or wss://");
}

std::string token_of(std::string_view query) {
  for (auto& [name, value] : parse_query(query.substr(std::min<std::size_t>(query.size(), 1)))) {
    if (name == kToken) {
      return value;
    }
  }
  return {};
}

bool is_plain(char c) { return c > ' ' && c < 0x7F && c != '"' && c != '@'; }

std::string checked_port(std::string_view text, std::string_view port) {
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number < 1 || number > 65535) {
    fail(text, "has a port that is not a number from 1 to 65535");
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
  const Scheme& scheme = scheme_of(text);
  std::string_view rest = text.substr(scheme.begin.size());
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
  std::string port = scheme.tls ? "443" : "80";
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    port = checked_port(text, host.substr(colon + 1));
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of("[]:") != std::string_view::npos) {
    fail(text, "has a host that is neither a name nor an address (IPv6 must be in brackets)");
  }
  if (host.empty()) {
    fail(text, "has no host");
  }
  return {without_token(text), std::string(host), port,           std::string(path),
          std::string(query),  scheme.tls,        token_of(query)};
}

}  // namespace surtitle
