// The authenticated client at the other end of a connection: its grant, and the quotas that it
// uses.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/access/access_control.h"
#include "daemon/access/client_quota.h"
#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

class AuthenticatedClient {
 public:
  // `quotas` are charged for what the client uses; `leases` end with the object.
  AuthenticatedClient(Grant grant, std::vector<std::shared_ptr<ClientQuota>> quotas,
                      std::vector<Lease> leases)
      : grant_(std::move(grant)), quotas_(std::move(quotas)), leases_(std::move(leases)) {}

  const Grant& grant() const noexcept { return grant_; }

  // Returns an error if the client may not send to this channel, or without one.
  std::optional<protocol::Error> may_send(const std::optional<std::string>& channel) const;

  // Returns an error if a stream may not begin, as too many of the client's streams wait for their
  // sender. `displaced`: the leases of a stream that it would displace.
  std::optional<protocol::Error> may_begin(std::span<const Lease> displaced) const;
  // Leases for a detached stream, for as long as it waits for its sender.
  std::vector<Lease> quota_leases() const;

  // Charge what they name, a stream for the lifetime of the client; or return an error.
  std::optional<Refusal> open_stream(bool may_resume);
  std::optional<protocol::Error> charge_words(int words, TimePoint now);
  std::optional<protocol::Error> charge_bytes(std::size_t bytes, TimePoint now);
  // The response to a request over HTTP had so many bytes.
  void answered(std::size_t bytes, TimePoint now);

 private:
  const Grant grant_;
  const std::vector<std::shared_ptr<ClientQuota>> quotas_;
  std::vector<Lease> leases_;
};

}  // namespace surtitle
