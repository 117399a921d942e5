#include "daemon/access/authenticated_client.h"

#include <algorithm>

namespace surtitle {
namespace {

std::optional<protocol::Error> error_of(const Result<void>& result) {
  return result ? std::nullopt : std::optional(result.error().to_protocol());
}

}  // namespace

std::optional<protocol::Error> AuthenticatedClient::may_send(
    const std::optional<std::string>& channel) const {
  const AccessRequirement requirement{AccessRequirement::What::kRole, Role::kSend, channel,
                                      /*any_channel=*/!channel};
  return error_of(check_access(requirement, grant_));
}

std::optional<protocol::Error> AuthenticatedClient::may_begin(
    std::span<const Lease> displaced) const {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    const auto made_room = std::count_if(displaced.begin(), displaced.end(),
                                         [&](const Lease& lease) { return lease.is_of(*quota); });
    if (auto error = error_of(quota->begin_stream(static_cast<int>(made_room)))) {
      return error;
    }
  }
  return std::nullopt;
}

std::vector<Lease> AuthenticatedClient::quota_leases() const {
  std::vector<Lease> leases;
  leases.reserve(quotas_.size());
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    quota->wait_for_sender();
    leases.emplace_back(quota, &ClientQuota::wait_no_more);
  }
  return leases;
}

Result<void> AuthenticatedClient::open_stream(bool may_resume) {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    if (const Result<void> opened = quota->open_stream(may_resume); !opened) {
      return opened;
    }
    leases_.emplace_back(quota, &ClientQuota::close_stream);
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

void AuthenticatedClient::answered(std::size_t bytes, TimePoint now) {
  for (const std::shared_ptr<ClientQuota>& quota : quotas_) {
    quota->answered(bytes, now);
  }
}

}  // namespace surtitle
