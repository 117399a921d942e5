// Backoff: the pause between attempts to restore a lost connection.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

// Returns the pause before attempt number `attempt`, counted from 0. The upper bound is 250 ms and
// doubles with each attempt, up to 4 s. The pause is random, between half the bound and the bound,
// so that clients do not all reconnect at the same time. Thread-safety: may be called from any
// thread.
Clock::duration backoff_delay(int attempt);

}  // namespace surtitle
