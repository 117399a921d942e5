// The faults of a run, drawn from its seed.
#pragma once

#include "tests/simulation/simulated_daemon.h"
#include "tests/simulation/simulated_sender.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

// The times between two faults of a kind; zero: there are none.
struct FaultPlan {
  Span cuts;                 // of connections, of any client
  Span notices;              // until an end notices that its connection is lost
  Span stills;               // until a client stops reading for a while
  Span still_for;            // how long it does not read
  Span kills;                // of the daemon
  Span restarts;             // of the daemon, which hands its streams to the next one
  Span down;                 // until it is started again or, while it drains, killed
  Span failures;             // of the disk
  Span failing;              // how long the disk fails
  Span clocks;               // until the calendar is set
  Span sleeps;               // of the machine: its clock stops, the calendar continues
  Clock::duration lasts{0};  // time with faults; none afterwards
};

// The settings of a run, except for its scripts.
struct Setting {
  int senders = 1;
  int viewers = 1;  // of each channel
  DaemonSetting daemon;
  Span talking;  // between two messages of a sender
  Span away;     // of clients, from a loss to the next attempt
  bool all_finish = true;
  FaultPlan faults;
};

// `limits` draws the limits that decide how words form sentences. They are the same under every
// fault plan.
Setting calm_setting(Rng& limits);
Setting rough_setting(Rng& limits, Rng& rng);
// Without faults, except those of clocks.
Setting calendar_setting(Rng& limits);
Setting sleepy_setting(Rng& limits);

}  // namespace surtitle
