// Who is at the other end of a connection: what it may do.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "daemon/access/access_control.h"
#include "daemon/protocol.h"

namespace surtitle {

class Visitor {
 public:
  explicit Visitor(Grant grant) : grant_(std::move(grant)) {}

  const Grant& grant() const noexcept { return grant_; }

  // Why it may not send to this channel, or to none; nothing where it may.
  std::optional<protocol::Error> may_send(const std::optional<std::string>& channel) const {
    const Need need{Need::What::kRole, Role::kSend, channel, /*any_channel=*/!channel};
    const std::optional<Refusal> refusal = unmet(need, grant_);
    return refusal
               ? std::optional(protocol::Error{protocol::ErrorCode::kForbidden, refusal->sentence})
               : std::nullopt;
  }

 private:
  Grant grant_;
};

}  // namespace surtitle
