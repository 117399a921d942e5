// A viewer that does not lose its channel: where its connection or the daemon goes, it comes back
// and goes on after what it has.
//
// Thread-safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/simulated_daemon.h"

namespace surtitle {

class SimulatedViewer {
 public:
  // What it was told of one stream after an event.
  struct Followed {
    std::string stream;
    std::int64_t after = 0;
    std::map<std::int64_t, std::string> heard;  // by event
    bool cut_short = false;                     // the daemon had forgotten the rest

    std::int64_t last() const { return heard.empty() ? after : heard.rbegin()->first; }
  };

  SimulatedViewer(Simulation& simulation, SimulatedDaemon& daemon, const SimulatedDisk& disk,
                  std::string channel, SubscribeRequest request, Span away,
                  std::vector<std::string>& faults);

  void begin() { connect(); }
  // It goes, and does not come back.
  void leave();
  void lose_connection(Clock::duration daemon_notices, Clock::duration own);
  void stand_still(Clock::duration time);

  // What it should have been told and was not, of all that the disk has. Once it has all.
  std::vector<std::string> missing() const;
  int resumed() const noexcept { return resumed_; }
  int caught_up() const noexcept { return caught_up_; }

 private:
  void connect();
  void heard(std::string_view text);
  void take_ready(const protocol::Ready& ready);
  void follow(const std::string& stream, std::int64_t after);
  void take_event(std::int64_t event, std::string_view text);
  bool may_be_forgotten(const std::string& stream) const;
  void lost();
  void fault(const std::string& what);

  Simulation& simulation_;
  SimulatedDaemon& daemon_;
  const SimulatedDisk& disk_;
  const std::string channel_;
  const SubscribeRequest request_;
  const Span away_;
  std::vector<std::string>& faults_;
  Rng rng_;

  std::shared_ptr<SimulatedConnection> connection_;
  std::optional<ChannelPosition> asked_;  // for this connection
  int backlog_ = 0;                       // messages to come that show where things stand
  std::vector<Followed> followed_;        // the last one is the one that it follows
  bool gone_ = false;
  int resumed_ = 0;
  int caught_up_ = 0;
};

}  // namespace surtitle
