// How long to wait before a connection that was lost is tried again.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

// Before try number `attempt`, from 0: twice as long each time up to 4 s, and drawn, so that not
// all who lost theirs come at once.
Clock::duration wait_before(int attempt);

}  // namespace surtitle
