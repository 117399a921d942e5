#include "daemon/http/authorize.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/http/access_rules.h"
#include "daemon/http/cors.h"
#include "daemon/http/libretranslate_request.h"

namespace surtitle {
namespace {

IpAddress to_ip_address(const asio::ip::address& address) {
  const auto six = address.is_v6()
                       ? address.to_v6()
                       : asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4());
  return {six.to_bytes()};
}

// Returns the quota of the client behind a proxy.
std::shared_ptr<ClientQuota> quota_behind(const HttpRequest& request, const HttpContext& context,
                                          const Peer& peer, TimePoint now) {
  std::string all;
  for (auto [field, end] = request.equal_range("X-Forwarded-For"); field != end; ++field) {
    all.append(all.empty() ? "" : ",").append(field->value().data(), field->value().size());
  }
  return context.limits.of_address(context.limits.client_behind(peer.address, all), now);
}

// Charges a connection to the quota, and adds a lease that ends with it.
Result<void> lease_connection(const std::shared_ptr<ClientQuota>& quota, TimePoint now,
                              std::vector<Lease>& leases) {
  Result<void> charged = quota->charge_connection(now);
  if (charged) {
    charged = quota->connect();
  }
  if (charged) {
    leases.emplace_back(quota, &ClientQuota::disconnect);
  }
  return charged;
}

Result<Grant> identify_grant(const HttpRequest& request, const HttpContext& context,
                             const RouteMatch& match, const AccessRequirement& requirement) {
  if (requirement.what == AccessRequirement::What::kNothing) {
    return unrestricted_grant();
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::optional<std::string> token = bearer_token(request);
  if (!token && match.path_route->has_api_key && context.access.auth_enabled()) {
    token = api_key(request);
  }
  Result<Grant> known = context.access.identify(token, now);
  if (known) {
    if (const Result<void> met = check_access(requirement, *known); !met) {
      return met.error();
    }
  }
  return known;
}

}  // namespace

std::optional<Peer> accept_peer(const tcp::socket& socket, const HttpContext& context) {
  error_code gone;
  const tcp::endpoint endpoint = socket.remote_endpoint(gone);
  if (gone) {
    return std::nullopt;
  }
  Peer peer{to_ip_address(endpoint.address())};
  peer.proxy = context.limits.is_proxy(peer.address);
  const TimePoint now = Clock::now();
  peer.quota = peer.proxy ? nullptr : context.limits.of_address(peer.address, now);
  if (!peer.quota) {
    return peer;
  }
  std::vector<Lease> leases;
  const Result<void> leased = lease_connection(peer.quota, now, leases);
  if (leased) {
    peer.lease = std::move(leases.front());
    return peer;
  }
  peer.refusal = leased.error();
  if (!peer.quota->begin_refusal()) {
    context.server.metrics().refused(peer.refusal->status);
    return std::nullopt;
  }
  peer.lease = Lease(peer.quota, &ClientQuota::end_refusal);
  return peer;
}

Result<std::shared_ptr<AuthenticatedClient>> authorize_request(const HttpRequest& request,
                                                               const HttpContext& context,
                                                               const Peer& peer,
                                                               const RouteMatch& match) {
  const Access access = match.path_route->access;
  std::vector<std::shared_ptr<ClientQuota>> quotas;
  std::vector<Lease> leases;
  if (access == Access::kProbe) {
    return std::make_shared<AuthenticatedClient>(unrestricted_grant(), quotas, std::move(leases));
  }
  if (peer.refusal) {
    return *peer.refusal;
  }
  if (const Result<void> allowed = check_host(request, context.hosts); !allowed) {
    return allowed.error();
  }
  if (access == Access::kAdmin && !context.access.auth_enabled()) {
    if (const Result<void> local = require_loopback(request, peer.address.is_loopback()); !local) {
      return local.error();
    }
  }
  const TimePoint now = Clock::now();
  const AccessRequirement requirement = is_preflight(request, context)
                                            ? AccessRequirement()
                                            : requirement_of(match, context.open_metrics);
  const bool counted =
      requirement.what == AccessRequirement::What::kRole;           // a page needs many requests
  const bool connects = counted && websocket::is_upgrade(request);  // charged as a connection
  const auto charge = [&](const std::shared_ptr<ClientQuota>& quota, bool leased) {
    Result<void> charged = connects ? Result<void>() : quota->charge_request(now);
    if (charged) {
      charged = quota->charge_bytes(request.target().size() + request.body().size(), now);
    }
    if (charged && leased) {
      charged = lease_connection(quota, now, leases);
    }
    quotas.push_back(quota);
    return charged;
  };
  if (const std::shared_ptr<ClientQuota> quota =
          peer.proxy ? quota_behind(request, context, peer, now) : peer.quota) {
    if (const Result<void> charged = charge(quota, counted && peer.proxy); !charged) {
      return charged.error();
    }
  }
  Result<Grant> grant = identify_grant(request, context, match, requirement);
  if (!grant) {
    return grant.error();
  }
  if (requirement.what != AccessRequirement::What::kNothing && context.access.auth_enabled()) {
    const Result<void> charged = charge(context.limits.of_token(grant->name, now), counted);
    if (!charged) {
      return charged.error();
    }
  }
  return std::make_shared<AuthenticatedClient>(*std::move(grant), std::move(quotas),
                                               std::move(leases));
}

Result<void> admit(const RoutedRequest& request, const RouteMatch& match) {
  const Access access = (match.route == nullptr ? match.path_route : match.route)->access;
  if (Result<void> checked = check_origin(request.request, request.context, access); !checked) {
    return checked;
  }
  const bool upgrade = websocket::is_upgrade(request.request);
  if (access == Access::kNewStream || (access == Access::kStream && upgrade)) {
    return request.client->add_connection_to_stream(/*may_resume=*/upgrade);
  }
  return {};
}

}  // namespace surtitle
