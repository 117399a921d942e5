// A viewer that keeps its channel: when it loses its connection or the daemon ends, it connects
// again and continues after its last event.
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
  // What it received of one stream after an event.
  struct Followed {
    std::string stream;
    std::int64_t after = 0;
    std::map<std::int64_t, std::string> received;  // by event
    bool cut_short = false;                        // the daemon did not have the rest any more

    std::int64_t last() const { return received.empty() ? after : received.rbegin()->first; }
  };

  SimulatedViewer(Simulation& simulation, SimulatedDaemon& daemon, const SimulatedDisk& disk,
                  std::string channel, SubscribeRequest request, Span away,
                  std::vector<std::string>& faults);

  void begin() { connect(); }
  // It leaves and does not return.
  void leave();
  void lose_connection(Clock::duration daemon_notices, Clock::duration own);
  void stand_still(Clock::duration time);

  // Returns the messages on the disk that it should have received and has not. REQUIRES: all
  // messages have arrived.
  std::vector<std::string> missing() const;
  int resumed() const noexcept { return resumed_; }
  int caught_up() const noexcept { return caught_up_; }

 private:
  void connect();
  void received(std::string_view text);
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
  std::optional<ChannelPosition> asked_;  // by this connection
  int backlog_ = 0;                       // messages of a snapshot that are still to come
  std::vector<Followed> followed_;        // the last one is that of the current stream
  bool gone_ = false;
  int resumed_ = 0;
  int caught_up_ = 0;
};

}  // namespace surtitle
