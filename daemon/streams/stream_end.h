// The reason and the error of a stream's end, as they are sent to its sender.
//
// Thread-safety: a plain value.
#pragma once

#include <optional>

#include "daemon/protocol/protocol.h"

namespace surtitle {

struct StreamEnd {
  protocol::ByeReason reason = protocol::ByeReason::kFinished;
  std::optional<protocol::Error> error = {};
};

}  // namespace surtitle
