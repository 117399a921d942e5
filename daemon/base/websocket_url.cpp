#include "daemon/base/websocket_url.h"

#include <algorithm>
#include <stdexcept>

#include "daemon/base/text.h"
#include "daemon/base/url_parts.h"

namespace surtitle {
namespace {

constexpr std::string_view kForm = "a URL must be ws://HOST:PORT or wss://HOST:PORT";
constexpr std::string_view kToken = "token";
constexpr std::size_t kSlashes = 3;  // "://"
constexpr int kPort = 80;
constexpr int kTlsPort = 443;

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

std::string token_of(std::string_view query) {
  for (auto& [name, value] : parse_query(query.substr(std::min<std::size_t>(query.size(), 1)))) {
    if (name == kToken) {
      return value;
    }
  }
  return {};
}

bool is_plain(char c) { return c > ' ' && c < 0x7F && c != '"' && c != '@'; }

}  // namespace

std::string WebSocketUrl::authority() const { return surtitle::authority(host, port); }

WebSocketUrl parse_websocket_url(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) {
    fail(text, "has characters that a URL cannot have");
  }
  const std::size_t colon = text.find("://");
  const std::string_view scheme = text.substr(0, colon);
  const bool tls = scheme == "wss" || scheme == "https";
  if (colon == std::string_view::npos || !(tls || scheme == "ws" || scheme == "http")) {
    fail(text, "does not begin with ws:// or wss://");
  }
  const auto parts = split_url(text.substr(0, text.find('#')).substr(colon + kSlashes));
  if (!parts) {
    fail(text, parts.error());
  }
  const std::string_view path = parts->path.substr(0, parts->path.find_last_not_of('/') + 1);
  return {without_token(text),
          std::string(parts->host),
          std::to_string(parts->port.value_or(tls ? kTlsPort : kPort)),
          std::string(path),
          std::string(parts->query),
          tls,
          token_of(parts->query)};
}

}  // namespace surtitle
