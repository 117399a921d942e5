#include "daemon/http/share_api.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/json_writer.h"
#include "daemon/base/log.h"
#include "daemon/base/qr_code.h"
#include "daemon/base/url_parts.h"
#include "daemon/http/access_rules.h"
#include "daemon/http/request_fields.h"
#include "daemon/protocol/protocol.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::int64_t kMaxSeconds = std::int64_t{30} * 24 * 3600;
constexpr int kForbidden = 403;
constexpr int kConflict = 409;

RequestError wrong_fields() {
  return {400, "The body must have role, which is view or send, and seconds, from 1 to " +
                   std::to_string(kMaxSeconds) + R"(, as in {"role": "view", "seconds": 43200}.)"};
}

struct LinkRequest {
  Role role = Role::kView;
  std::int64_t seconds = 0;
};

Result<LinkRequest> read_link_request(const HttpRequest& request) {
  const auto fields = request_fields(request, R"({"role": "view", "seconds": 43200})");
  if (!fields) {
    return fields.error();
  }
  const auto* role = fields->if_contains("role");
  const auto* seconds = fields->if_contains("seconds");
  if (role == nullptr || !role->is_string() || seconds == nullptr || !seconds->is_int64()) {
    return wrong_fields();
  }
  const bool sends = role->get_string() == name(Role::kSend);
  if ((!sends && role->get_string() != name(Role::kView)) || seconds->get_int64() < 1 ||
      seconds->get_int64() > kMaxSeconds) {
    return wrong_fields();
  }
  return LinkRequest{sends ? Role::kSend : Role::kView, seconds->get_int64()};
}

// Returns the host of "HOST:PORT" in lower case.
std::optional<std::string> host_of(std::string_view authority) {
  const auto parts = split_url(authority);
  return parts ? std::optional(lower(parts->host)) : std::nullopt;
}

// Whether clients reach this daemon by the host: that of the request, or an address of the machine.
bool is_own_host(const std::string& host, const RoutedRequest& request) {
  const auto field = request.request[http::field::host];
  if (host_of({field.data(), field.size()}) == host) {
    return true;
  }
  const std::vector<std::string> addresses = request.context.addresses();
  return std::any_of(addresses.begin(), addresses.end(), [&](const std::string& address) {
    return host_of(std::string_view(address).substr(address.find("://") + 3)) == host;
  });
}

bool is_plain(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || others.find(c) != std::string_view::npos;
  });
}

// Whether the link leads to the page of a channel of this daemon, maybe below a folder of a proxy.
bool is_own_page(std::string_view link, const RoutedRequest& request) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!link.starts_with(scheme)) {
      continue;
    }
    const auto parts = split_url(link.substr(scheme.size()));
    if (!parts || parts->login || !is_own_host(lower(parts->host), request)) {
      return false;
    }
    const std::size_t page = parts->path.rfind("/c/");
    return page != std::string_view::npos && is_plain(parts->path.substr(0, page), "/._~-") &&
           protocol::is_channel_name(parts->path.substr(page + 3)) &&
           is_plain(parts->query, "?&=._~-");
  }
  return false;
}

}  // namespace

Result<HttpResponse> answer_addresses(const RoutedRequest& request) {
  return json_response(http::status::ok,
                       JsonWriter()
                           .raw_field("addresses", json_array(request.context.addresses(),
                                                              [](const std::string& address) {
                                                                return json_string(address);
                                                              }))
                           .finish());
}

Result<HttpResponse> make_channel_link(const RoutedRequest& request) {
  const auto channel = channel_parameter(request.parameters);
  if (!channel) {
    return RequestError(
        404, "A channel name has 1 to 64 characters of A-Z a-z 0-9 . _ -, other than . and ..");
  }
  const AccessControl& access = request.context.access;
  const Grant& grant = request.client->grant();
  if (!access.auth_enabled()) {
    return RequestError(kConflict, "This daemon requires no tokens, so its addresses need none.");
  }
  if (const Result<void> may = request.client->check_send(channel); !may) {
    return may.error();
  }
  const Result<LinkRequest> wanted = read_link_request(request.request);
  if (!wanted) {
    return wanted.error();
  }
  if (wanted->role == Role::kSend && !grant.roles.has(Role::kAdmin)) {
    return RequestError(kForbidden, "Links with the role send require the role admin.");
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const CalendarSeconds wished = now + std::chrono::seconds(wanted->seconds);
  const ChannelLink link{wanted->role, *channel, std::min(wished, grant.expires.value_or(wished))};
  const std::optional<std::string> token = access.sign(link);
  if (!token) {
    return RequestError(kConflict,
                        "This daemon has no key for links; set access.key to a file from 'surtitle "
                        "token key'.");
  }
  log(LogLevel::kInfo, "Link made",
      {{"actor", grant.name},
       {"channel", link.channel},
       {"role", name(link.role)},
       {"expires", to_text(link.expires)}});
  return json_response(http::status::ok, JsonWriter()
                                             .field("token", *token)
                                             .field("role", name(link.role))
                                             .field("channel", link.channel)
                                             .field("expires", to_text(link.expires))
                                             .finish());
}

Result<HttpResponse> answer_qr_code(const RoutedRequest& request) {
  std::string link;
  for (auto& [name, value] : parse_query(request.query)) {
    if (name == "link") {
      link = std::move(value);
    }
  }
  if (!is_own_page(link, request)) {
    const auto host = request.request[http::field::host];
    return RequestError(400,
                        "link must be the URL of a channel's page of this daemon, such as "
                        "http://" +
                            std::string(host.data(), host.size()) + "/c/main.");
  }
  const auto code = QrCode::make(link);
  if (!code) {
    return RequestError(
        400, "link must have at most " + std::to_string(QrCode::kMaxBytes) + " characters.");
  }
  HttpResponse response = make_response(http::status::ok, "image/svg+xml", code->svg());
  response.set(http::field::cache_control, "no-store");  // the URL contains tokens
  return response;
}

}  // namespace surtitle
