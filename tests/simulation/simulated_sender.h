// A sender that keeps its stream, as the client modules do: when it loses its connection or the
// daemon ends, it connects again and resumes. Some leave for good in the middle.
//
// Thread-safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/script.h"
#include "tests/simulation/simulated_daemon.h"

namespace surtitle {

struct SenderHabits {
  enum class End { kFinishes, kVanishes, kCloses };
  End end = End::kFinishes;
  std::int64_t leaves_after = 0;  // messages, unless it finishes
  Span pace;                      // between two messages
  Span away;                      // from a loss to the next attempt
  int ahead = 3;                  // messages that may wait for their acknowledgement
};

class SimulatedSender {
 public:
  SimulatedSender(Simulation& simulation, SimulatedDaemon& daemon, const SimulatedDisk& disk,
                  Script script, SenderHabits habits, std::vector<std::string>& faults);

  void begin() { connect(); }
  bool done() const noexcept { return done_; }
  // Whether it has received the end of its stream.
  bool received_all() const noexcept { return received_all_; }

  const Script& script() const noexcept { return script_; }
  const SenderHabits& habits() const noexcept { return habits_; }
  // Empty if it has none.
  const std::string& stream() const noexcept { return stream_; }
  std::int64_t acknowledged() const noexcept { return acknowledged_; }
  int resumed() const noexcept { return resumed_; }
  int overloaded() const noexcept { return overloaded_; }

  // Returns the messages on the disk that it should have received and has not. REQUIRES: done().
  std::vector<std::string> missing() const;
  // Describes its state in words.
  std::string state() const;

  void lose_connection(Clock::duration daemon_notices, Clock::duration own);
  void stand_still(Clock::duration time);

 private:
  void connect();
  void received(std::string_view text);
  void take_ready(const protocol::Ready& ready);
  void take_error(const protocol::Error& error);
  bool is_past() const;
  void lost();
  void talk();
  void talk_after_a_while();
  void leave();
  void fault(const std::string& what);

  Simulation& simulation_;
  SimulatedDaemon& daemon_;
  const SimulatedDisk& disk_;
  Script script_;
  const SenderHabits habits_;
  std::vector<std::string>& faults_;
  Rng rng_;

  std::shared_ptr<SimulatedConnection> connection_;
  bool greeted_ = false;
  bool finished_ = false;  // `finish` was sent on this connection
  bool talking_ = false;   // the next message is scheduled
  std::int64_t sent_ = 0;

  std::string stream_;
  std::map<std::int64_t, std::string> received_;
  std::int64_t acknowledged_ = 0;
  int resumed_ = 0;
  int overloaded_ = 0;  // how often it was rejected, and retried
  bool done_ = false;
  bool received_all_ = false;
};

}  // namespace surtitle
