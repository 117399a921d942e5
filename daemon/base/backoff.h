// The pause between attempts to restore a lost connection.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

// Returns the pause before attempt number `attempt`, from 0: twice as long each time up to 4 s, and
// randomised, so that not all clients reconnect at once.
Clock::duration backoff_delay(int attempt);

}  // namespace surtitle
