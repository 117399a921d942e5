// One run of the simulation: a daemon, its senders and viewers, and faults.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/fault_plan.h"
#include "tests/simulation/simulated_daemon.h"
#include "tests/simulation/simulated_disk.h"
#include "tests/simulation/simulated_sender.h"
#include "tests/simulation/simulated_viewer.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

// Counts of a run.
struct Tally {
  int kills = 0;
  int restarts = 0;
  int cuts = 0;
  int stills = 0;
  int calendars = 0;  // how often the calendar was set
  int sleeps = 0;
  int disk_failures = 0;
  int resumed = 0;     // senders and viewers
  int overloaded = 0;  // senders that were rejected
  int caught_up = 0;
  int finished = 0;  // senders that received their end
  int words = 0;     // messages that were acknowledged

  Tally& operator+=(const Tally& other);
};

class SimulationRun {
 public:
  enum class Kind { kCalm, kRough, kCalendar, kSleepy };

  // The same seed has the same scripts in all kinds.
  SimulationRun(std::uint64_t seed, Kind kind, bool print);

  // Runs to the end. Returns the faults that were found, one a line.
  std::vector<std::string> run();

  // Returns the transcripts of the senders that sent everything.
  std::map<std::string, Told> transcripts() const;  // by channel
  std::uint64_t trace_hash() const { return simulation_.trace_hash(); }
  // The hash of all events until all senders were done.
  std::uint64_t talk_hash() const { return talk_hash_.value_or(0); }
  Tally tally() const;

 private:
  void make_clients(std::uint64_t seed);
  void befall(Span apart, const std::function<void()>& what);
  void cut_one();
  void still_one();
  void kill();
  void restart();
  void fail_disk();
  void set_calendar();
  void sleep();
  bool senders_done() const;
  bool everybody_done();
  void check_streams();
  void check_stream(const std::string& name);

  Simulation simulation_;
  const Setting setting_;
  Rng rng_;
  SimulatedDisk disk_;
  std::vector<std::string> faults_;
  SimulatedDaemon daemon_;
  std::vector<std::unique_ptr<SimulatedSender>> senders_;
  std::vector<std::unique_ptr<SimulatedViewer>> viewers_;
  TimePoint calm_from_;
  std::optional<std::uint64_t> talk_hash_;
  Tally tally_;
};

}  // namespace surtitle
