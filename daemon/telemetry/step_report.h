// Measurements of a model's batch loop, which the metrics and the admission control receive.
//
// Thread-safety: plain values.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

// The measurement of one step.
struct StepReport {
  Seconds duration{0};
  int writes = 0;  // tokens and sentence ends written
  int reads = 0;   // source tokens that arrived since the step before
};

// The numbers of sentences in a loop.
struct LoopOccupancy {
  int open = 0;     // in the translator
  int waiting = 0;  // queued for a slot

  bool operator==(const LoopOccupancy&) const = default;
};

}  // namespace surtitle
