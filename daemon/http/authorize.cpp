#include "daemon/http/authorize.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/http/access_rules.h"
#include "daemon/http/cors.h"

namespace surtitle {
namespace {

using HttpRequest = http::request<http::string_body>;

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
  return context.limits.of_address(context.limits.behind(peer.address, all), now);
}

// Charges a connection to the quota, and adds a lease that ends with it.
std::optional<Refusal> lease_connection(const std::shared_ptr<ClientQuota>& quota, TimePoint now,
                                        std::vector<Lease>& leases) {
  std::optional<Refusal> refusal = quota->charge_connection(now);
  if (!refusal) {
    refusal = quota->connect();
  }
  if (!refusal) {
    leases.emplace_back(quota, &ClientQuota::disconnect);
  }
  return refusal;
}

std::variant<Grant, Refusal> identify_grant(const HttpRequest& request, const HttpContext& context,
                                            const AccessRequirement& requirement) {
  if (requirement.what == AccessRequirement::What::kNothing) {
    return unrestricted_grant();
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::optional<std::string> token = bearer_token(request);
  auto known = context.access.identify(token, now);
  if (const auto* grant = std::get_if<Grant>(&known)) {
    if (std::optional<Refusal> refusal = check_access(requirement, *grant)) {
      return *std::move(refusal);
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
  peer.refusal = lease_connection(peer.quota, now, leases);
  if (!peer.refusal) {
    peer.lease = std::move(leases.front());
  } else if (peer.quota->begin_refusal()) {
    peer.lease = Lease(peer.quota, &ClientQuota::end_refusal);
  } else {
    context.hub.metrics().refused(peer.refusal->status);
    return std::nullopt;
  }
  return peer;
}

std::variant<std::shared_ptr<AuthenticatedClient>, Refusal> authorize_request(
    const HttpRequest& request, const HttpContext& context, const Peer& peer) {
  const std::string_view target(request.target().data(), request.target().size());
  if (is_probe(target)) {
    return std::make_shared<AuthenticatedClient>(
        unrestricted_grant(), std::vector<std::shared_ptr<ClientQuota>>(), std::vector<Lease>());
  }
  if (peer.refusal) {
    return *peer.refusal;
  }
  if (std::optional<Refusal> refusal = check_host(request, context.hosts)) {
    return *std::move(refusal);
  }
  if (!context.access.auth_enabled()) {
    if (std::optional<Refusal> refusal = require_loopback(request, peer.address.is_loopback())) {
      return *std::move(refusal);
    }
  }
  const TimePoint now = Clock::now();
  const AccessRequirement requirement = is_preflight(request, context)
                                            ? AccessRequirement()
                                            : requirement_of(target, context.open_metrics);
  const bool counted =
      requirement.what == AccessRequirement::What::kRole;           // a page needs many requests
  const bool connects = counted && websocket::is_upgrade(request);  // charged as a connection
  const auto charge_request = [&](ClientQuota& quota) {
    std::optional<Refusal> over = connects ? std::nullopt : quota.charge_request(now);
    return over ? over : quota.charge_bytes(target.size() + request.body().size(), now);
  };
  std::vector<std::shared_ptr<ClientQuota>> quotas;
  std::vector<Lease> leases;
  std::optional<Refusal> refusal;
  if (const std::shared_ptr<ClientQuota> quota =
          peer.proxy ? quota_behind(request, context, peer, now) : peer.quota) {
    quotas.push_back(quota);
    refusal = charge_request(*quota);
    if (!refusal && counted && peer.proxy) {
      refusal = lease_connection(quota, now, leases);
    }
  }
  if (refusal) {
    return *std::move(refusal);
  }
  auto known = identify_grant(request, context, requirement);
  if (auto* refused = std::get_if<Refusal>(&known)) {
    return std::move(*refused);
  }
  auto& grant = std::get<Grant>(known);
  if (requirement.what != AccessRequirement::What::kNothing && context.access.auth_enabled()) {
    quotas.push_back(context.limits.of_token(grant.name, now));
    refusal = charge_request(*quotas.back());
    if (!refusal && counted) {
      refusal = lease_connection(quotas.back(), now, leases);
    }
    if (refusal) {
      return *std::move(refusal);
    }
  }
  return std::make_shared<AuthenticatedClient>(std::move(grant), std::move(quotas),
                                               std::move(leases));
}

}  // namespace surtitle
