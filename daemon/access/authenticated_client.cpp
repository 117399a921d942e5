#include "daemon/access/authenticated_client.h"

#include <algorithm>

namespace surtitle {
namespace {

std::optional<protocol::Error> error_of(const Result<void>& result) {
  return result ? std::nullopt : std::optional(result.error().to_protocol());
}

}  // namespace

Result<void> AuthenticatedClient::check_send(const std::optional<std::string>& channel) const {
  const AccessRequirement requirement{AccessRequirement::What::kRole, Role::kSend, channel,
                                      /*any_channel=*/!channel};
  return check_access(requirement, grant_);
}

Result<void> AuthenticatedClient::check_begin(std::span<const Lease> displaced) const {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    const auto made_room = std::count_if(displaced.begin(), displaced.end(),
                                         [&](const Lease& lease) { return lease.is_of(*quota); });
    const Result<void> allowed = quota->check_new_stream(static_cast<int>(made_room));
    if (!allowed) {
      return allowed;
    }
  }
  return {};
}

std::vector<Lease> AuthenticatedClient::quota_leases() const {
  std::vector<Lease> leases;
  leases.reserve(quotas_.size());
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    quota->add_detached();
    leases.emplace_back(quota, &ClientQuota::remove_detached);
  }
  return leases;
}

Result<void> AuthenticatedClient::add_connection_to_stream(bool may_resume) {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    if (const Result<void> opened = quota->add_connection_to_stream(may_resume); !opened) {
      return opened;
    }
    leases_.emplace_back(quota, &ClientQuota::remove_connection_to_stream);
  }
  return {};
}

std::optional<protocol::Error> AuthenticatedClient::charge_words(int words, TimePoint now) {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    if (auto error = error_of(quota->charge_words(words, now))) {
      return error;
    }
  }
  return std::nullopt;
}

std::optional<protocol::Error> AuthenticatedClient::charge_bytes(std::size_t bytes, TimePoint now) {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    if (auto error = error_of(quota->charge_bytes(bytes, now))) {
      return error;
    }
  }
  return std::nullopt;
}

void AuthenticatedClient::charge_response(std::size_t bytes, TimePoint now) {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    quota->charge_response(bytes, now);
  }
}

}  // namespace surtitle
