#include "daemon/http/access_rules.h"

#include <algorithm>
#include <array>

#include "daemon/base/text.h"
#include "daemon/base/uri.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {
namespace {

constexpr std::string_view kChannels = "/v1/channels/";
constexpr std::string_view kAdmin = "/v1/admin/";

bool is_one_of(std::string_view path, const auto& paths) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

// The requirement of /v1/channels/NAME and of the addresses below it.
AccessRequirement channel_requirement(std::string_view path) {
  const std::string_view rest = path.substr(kChannels.size());
  const auto channel = percent_decode(rest.substr(0, rest.find('/')));
  if (!channel || !protocol::is_channel_name(*channel)) {
    return {AccessRequirement::What::kAnyRole};  // with a role, the answer is 404
  }
  return {AccessRequirement::What::kRole, Role::kView, channel};
}

}  // namespace

AccessRequirement requirement_of(std::string_view target, bool open_metrics) {
  constexpr std::array<std::string_view, 4> kSending{"/translate", "/reset", "/input", "/output"};
  const std::string_view path = split_target(target).first;
  if (path == "/v1/stream") {
    return {AccessRequirement::What::kRole, Role::kSend};
  }
  if (is_one_of(path, kSending)) {
    return {AccessRequirement::What::kRole, Role::kSend, std::nullopt, /*any_channel=*/true};
  }
  if (path.starts_with(kChannels)) {
    return channel_requirement(path);
  }
  if (path.starts_with(kAdmin) || (path == "/metrics" && !open_metrics)) {
    return {AccessRequirement::What::kRole, Role::kAdmin, std::nullopt, /*any_channel=*/true};
  }
  if (path.starts_with("/v1/") || path == "/languages") {
    return {AccessRequirement::What::kAnyRole};
  }
  return {};
}

bool is_probe(std::string_view target) {
  constexpr std::array<std::string_view, 3> kProbes{"/livez", "/healthz", "/readyz"};
  return is_one_of(split_target(target).first, kProbes);
}

Result<void> check_host(const http::request<http::string_body>& request, const Hosts& hosts) {
  constexpr int kHttp11 = 11;
  constexpr int kBadRequest = 400;
  constexpr int kMisdirected = 421;
  const auto fields = request.count(http::field::host);
  if (is_probe({request.target().data(), request.target().size()}) ||
      (fields == 0 && request.version() < kHttp11)) {
    return {};
  }
  if (fields != 1) {
    return RequestError{kBadRequest, "A request must have exactly one Host header."};
  }
  const auto host = request[http::field::host];
  if (hosts.allow({host.data(), host.size()})) {
    return {};
  }
  return RequestError{kMisdirected, "Host " + in_quotes({host.data(), host.size()}) +
                                        " is not allowed; add it to allowed_hosts."};
}

Result<void> require_loopback(const http::request<http::string_body>& request, bool from_loopback) {
  constexpr int kForbidden = 403;
  const std::string_view path =
      split_target({request.target().data(), request.target().size()}).first;
  bool passed_on = false;
  for (const char* field : {"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP",
                            "Forwarded", "Via"}) {
    passed_on = passed_on || request.count(field) > 0;
  }
  // A proxy without these headers, or a page that uses DNS rebinding, has another host name.
  const auto host = request[http::field::host];
  const bool by_name = !host.empty() && !Hosts({}).allow({host.data(), host.size()});
  if (!path.starts_with(kAdmin) || (from_loopback && !passed_on && !by_name)) {
    return {};
  }
  return RequestError{kForbidden,
                      "Without tokens, only the daemon's own machine may use this address; set "
                      "access.tokens to allow others."};
}

std::optional<std::string> bearer_token(const http::request<http::string_body>& request) {
  constexpr std::string_view kBearer = "bearer ";
  const auto field = request[http::field::authorization];
  if (beast::iequals(field.substr(0, kBearer.size()), {kBearer.data(), kBearer.size()})) {
    return std::string(field.substr(kBearer.size()));
  }
  for (auto& [name, value] :
       parse_query(split_target({request.target().data(), request.target().size()}).second)) {
    if (name == "token" && !value.empty()) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace surtitle
