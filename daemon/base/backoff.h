// Backoff: the pause between attempts to restore a lost connection.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

// Returns the pause before attempt number `attempt`, counted from 0. The longest pause is 250 ms
// first and doubles with each attempt, up to 4 s. The pause is random between half of that and all
// of it, so that clients do not reconnect at once. Thread-safety: may be called from any thread.
Clock::duration backoff_delay(int attempt);

}  // namespace surtitle
