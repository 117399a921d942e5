#include "daemon/http/access_rules.h"

#include <algorithm>

#include "daemon/base/text.h"
#include "daemon/base/url_parts.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {
namespace {

// Returns true for requests from the daemon's own pages and from programs.
bool from_own_page(const HttpRequest& request, const HttpContext& context) {
  const auto given = request.find(http::field::origin);
  if (given == request.end()) {
    return true;
  }
  const std::string_view origin(given->value().data(), given->value().size());
  const auto host_field = request[http::field::host];
  const std::string_view host(host_field.data(), host_field.size());
  const std::size_t scheme = origin.find("://");
  const bool under_tls = context.tls.context() != nullptr;
  return scheme != std::string_view::npos && origin.substr(scheme + 3) == host &&
         (!under_tls || origin.starts_with("https://"));  // a page in the clear may be forged
}

}  // namespace

bool origin_allowed(const HttpRequest& request, const HttpContext& context) {
  const std::string_view origin = request[http::field::origin];
  return from_own_page(request, context) ||
         std::any_of(
             context.origins.begin(), context.origins.end(),
             [&](const std::string& allowed) { return allowed == "*" || allowed == origin; });
}

AccessRequirement requirement_of(const RouteMatch& match, bool open_metrics) {
  using What = AccessRequirement::What;
  const AccessRequirement admin{What::kRole, Role::kAdmin, std::nullopt, /*any_channel=*/true};
  switch (match.path_route->access) {
    case Access::kProbe:
    case Access::kPage:
      return {};
    case Access::kAnyRole:
      return {What::kAnyRole};
    case Access::kView:
      if (auto channel = channel_parameter(match.parameters)) {
        return {What::kRole, Role::kView, std::move(channel)};
      }
      return {What::kAnyRole};  // with a role, the answer is 404
    case Access::kStream:
      return {What::kRole, Role::kSend};
    case Access::kSend:
    case Access::kNewStream:
      return {What::kRole, Role::kSend, std::nullopt, /*any_channel=*/true};
    case Access::kMetrics:
      return open_metrics ? AccessRequirement() : admin;
    case Access::kAdmin:
      break;
  }
  return admin;
}

std::optional<std::string> channel_parameter(const std::vector<std::string_view>& parameters) {
  std::optional<std::string> channel = percent_decode(parameters.front());
  return channel && protocol::is_channel_name(*channel) ? channel : std::nullopt;
}

Result<void> check_host(const HttpRequest& request, const HostAllowlist& hosts) {
  constexpr int kHttp11 = 11;
  const auto fields = request.count(http::field::host);
  if (fields == 0 && request.version() < kHttp11) {
    return {};
  }
  if (fields != 1) {
    return RequestError(400, "A request must have exactly one Host header.");
  }
  const std::string_view host = request[http::field::host];
  if (hosts.allow(host)) {
    return {};
  }
  return RequestError(421, "Host " + in_quotes(host) + " is not allowed; add it to allowed_hosts.");
}

Result<void> require_loopback(const HttpRequest& request, bool from_loopback) {
  bool passed_on = false;
  for (const char* field : {"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP",
                            "Forwarded", "Via"}) {
    passed_on = passed_on || request.count(field) > 0;
  }
  // A proxy without these headers, or a page that uses DNS rebinding, has another host name.
  const std::string_view host = request[http::field::host];
  const bool by_name = !host.empty() && !HostAllowlist({}).allow(host);
  if (from_loopback && !passed_on && !by_name) {
    return {};
  }
  return RequestError(403,
                      "Without tokens, only the daemon's own machine may use this path; set "
                      "access.tokens to allow others.");
}

Result<void> check_origin(const HttpRequest& request, const HttpContext& context, Access access) {
  const bool sends = access == Access::kSend || access == Access::kNewStream;
  const bool allowed = access == Access::kAdmin                  ? from_own_page(request, context)
                       : sends || websocket::is_upgrade(request) ? origin_allowed(request, context)
                                                                 : true;
  if (allowed) {
    return {};
  }
  return RequestError(
      403, "Pages of this origin may not use this path; add the origin to allowed_origins.");
}

std::optional<std::string> bearer_token(const HttpRequest& request) {
  constexpr std::string_view kBearer = "bearer ";
  const auto field = request[http::field::authorization];
  if (beast::iequals(field.substr(0, kBearer.size()), {kBearer.data(), kBearer.size()})) {
    return std::string(field.substr(kBearer.size()));
  }
  for (auto& [name, value] : parse_query(split_target(request.target()).second)) {
    if (name == "token" && !value.empty()) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace surtitle
