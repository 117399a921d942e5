// Who is at the other end of a connection: what it may do, and what it may use of the daemon.
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

class Visitor {
 public:
  // `quotas` are charged for what the client uses; `leases` end with the object.
  Visitor(Grant grant, std::vector<std::shared_ptr<ClientQuota>> quotas, std::vector<Lease> leases)
      : grant_(std::move(grant)), quotas_(std::move(quotas)), leases_(std::move(leases)) {}

  const Grant& grant() const noexcept { return grant_; }

  // Why it may not send to this channel, or to none; nothing where it may.
  std::optional<protocol::Error> may_send(const std::optional<std::string>& channel) const;

  // Why a stream may not begin: too many of its own wait for their sender; nothing where it may.
  // `displaced`: the place of one that it would displace.
  std::optional<protocol::Error> may_begin(std::span<const Lease> displaced) const;
  // The place of a stream that was cut off, for as long as that waits.
  std::vector<Lease> place() const;

  // Takes what they name, for as long as it exists; or says why not.
  std::optional<Refusal> open_stream(bool may_resume);
  std::optional<protocol::Error> charge_words(int words, TimePoint now);
  std::optional<protocol::Error> charge_bytes(std::size_t bytes, TimePoint now);
  // Its request over HTTP had an answer of so many bytes.
  void answered(std::size_t bytes, TimePoint now);

 private:
  const Grant grant_;
  const std::vector<std::shared_ptr<ClientQuota>> quotas_;
  std::vector<Lease> leases_;
};

}  // namespace surtitle
