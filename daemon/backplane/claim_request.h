// A request to claim a stream from the replica that owns it, and its answer.
//
// Thread-safety: plain values. Both callbacks are called on the ownership manager's thread.
#pragma once

#include <functional>
#include <optional>

#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

struct ClaimResult {
  enum class Status {
    kOwned,        // this replica owns it; with the history, unless the stream runs here already
    kEnded,        // it has ended and cannot be resumed; with the history
    kNotFound,     // it is unknown, or the key is wrong
    kUnavailable,  // Redis is unavailable, or was until a moment ago
    kRetryLater,   // it cannot be claimed now; its owner may have more entries than Redis
  };
  Status status = Status::kNotFound;
  Fence fence = {};
  std::optional<StreamHistory> history = {};
};

using ClaimAnswer = std::function<void(ClaimResult)>;

struct ClaimRequest {
  protocol::Resume wanted;
  // Returns true if the client has disconnected. It may have reconnected to another replica, so the
  // stream is not claimed then.
  std::function<bool()> cancelled;
  // The stream runs on this replica: its history is not needed while this replica owns it.
  bool here = false;
  ClaimAnswer answer;
};

}  // namespace surtitle
