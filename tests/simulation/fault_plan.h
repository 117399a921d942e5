// The faults of a run, drawn from its seed.
#pragma once

#include "tests/simulation/simulated_daemon.h"
#include "tests/simulation/simulated_sender.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

// The time between two faults of a kind; zero: there is none.
struct FaultPlan {
  Span cuts;                 // of a connection, anybody's
  Span notices;              // until an end sees that its connection is gone
  Span stills;               // until somebody does not read for a while
  Span still_for;            // how long
  Span kills;                // of the daemon
  Span restarts;             // of the daemon, which leaves its streams to the next
  Span down;                 // until it is started again, or ends
  Span failures;             // of the disk
  Span failing;              // how long
  Span clocks;               // until the calendar is set
  Span sleeps;               // of the machine: time stands still, the calendar goes on
  Clock::duration lasts{0};  // then it is calm
};

// What a run is, beside what is said in it.
struct Setting {
  int senders = 1;
  int viewers = 1;  // of each channel
  DaemonSetting daemon;
  Span talking;  // between two messages
  Span away;     // of clients, from a loss to the next attempt
  bool all_finish = true;
  FaultPlan faults;
};

// The limits that make other sentences of the same words are the same under every fault plan.
Setting calm_setting(Rng& limits);
Setting rough_setting(Rng& limits, Rng& rng);
// Calm, but for the clocks.
Setting calendar_setting(Rng& limits);
Setting sleepy_setting(Rng& limits);

}  // namespace surtitle
