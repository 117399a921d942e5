// The authenticated client of a connection or a request: its grant, quotas and leases.
//
// Thread-safety: none; the network thread owns it.
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
  // `quotas`: of the client's address and of its token; its connections, words and bytes are
  // charged to all of them. `leases` are given back when the object is destroyed.
  AuthenticatedClient(Grant grant, std::vector<std::shared_ptr<ClientQuota>> quotas,
                      std::vector<Lease> leases)
      : grant_(std::move(grant)), quotas_(std::move(quotas)), leases_(std::move(leases)) {}

  const Grant& grant() const noexcept { return grant_; }

  // Returns an error if the client may not send to this channel. Without a channel, the grant must
  // be for all channels.
  Result<void> check_send(const std::optional<std::string>& channel) const;

  // Returns an error if the client already has too many open or detached streams. `displaced`: the
  // leases of a detached stream that the new one displaces, which then do not count.
  Result<void> check_begin(std::span<const Lease> displaced) const;
  // Returns leases for a stream to hold while it is detached.
  std::vector<Lease> quota_leases() const;

  // Charge the quotas, or return an error. A stream stays charged for the lifetime of the object.
  // `may_resume`: see ClientQuota::add_connection_to_stream().
  Result<void> add_connection_to_stream(bool may_resume);
  std::optional<protocol::Error> charge_words(int words, TimePoint now);
  std::optional<protocol::Error> charge_bytes(std::size_t bytes, TimePoint now);
  // Charges a response over HTTP by its size.
  void charge_response(std::size_t bytes, TimePoint now);

 private:
  const Grant grant_;
  const std::vector<std::shared_ptr<ClientQuota>> quotas_;
  std::vector<Lease> leases_;
};

}  // namespace surtitle
