// A hub whose network thread is the test's, on a clock that the test moves, with scripted models
// and a journal in memory; and those who come to it, without sockets. The batching loop and the
// journal have their rounds in between; whose memory is which: tests/failing_allocations.h.
//
// Thread-safety: none.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/channels/connection.h"
#include "daemon/streams/hub.h"
#include "daemon/streams/stream.h"
#include "daemon/streams/viewer.h"
#include "tests/simulation/invariant_checker.h"
#include "tests/simulation/simulated_disk.h"

namespace surtitle {

// What is done aside is done when the test says so.
class TestMachine : public Environment {
 public:
  TimePoint now() const override { return simulation.now(); }
  CalendarTime calendar_time() const override { return simulation.calendar_time(); }
  std::string random_bytes(std::size_t count) override { return simulation.random_bytes(count); }
  std::unique_ptr<Worker> start(Task work) override;

  // One round of all work that is due. False: there is none.
  bool work();
  // Whether some work had too little memory, and is due again soon.
  bool short_of_memory() const;
  void let_pass(Clock::duration time);

  Simulation simulation{1};  // its clock, its calendar and its random numbers

 private:
  class Hand;

  std::vector<Hand*> hands_;
};

class HubFixture {
 public:
  enum class With { kNothing, kJournal };
  explicit HubFixture(With with);

  Hub& hub() { return *hub_; }
  // Another process goes on with what the journal has. REQUIRES: nobody is there.
  void restart();
  int open_sentences() const noexcept { return open_sentences_; }  // in the model

  // Until nothing more happens by itself. Nothing of it may throw: it would end the daemon. What
  // had too little memory is tried again, for which the clock goes on.
  void run();
  // A while passes; streams without a connection notice.
  void pass(Clock::duration time);

  // What was said before the journal had it.
  std::vector<std::string> faults;

 private:
  void run_what_is_due();
  void post(std::function<void()> work) { posted_.push_back(std::move(work)); }

  const With with_;
  std::deque<std::function<void()>> posted_;
  TestMachine machine_;
  DaemonMetrics metrics_{"test"};
  int open_sentences_ = 0;

 public:
  SimulatedDisk disk{machine_.simulation};

 private:
  std::unique_ptr<Hub> hub_;
};

// A connection without a socket, and the handler behind it, which is called as WebsocketSession
// calls it.
class TestConnection : public Connection {
 public:
  // Opens it.
  TestConnection(HubFixture& fixture, std::unique_ptr<ConnectionHandler> handler,
                 std::string asked = {});
  ~TestConnection() override { leave(/*on_purpose=*/false); }

  void say(std::string_view text);
  // The peer closes it, or it is lost.
  void leave(bool on_purpose);
  // Whether the daemon did.
  bool ended() const noexcept { return ended_; }

  // What came since it was asked last.
  std::vector<std::string> heard() { return std::exchange(heard_, {}); }

  // --- Connection ---
  void send(OutgoingText message) override;
  void end(std::uint16_t close_code) override;
  void wake() override {}
  PeerCloseProbe peer_close_probe() override;

 private:
  void attempt(const std::function<void()>& call);

  HubFixture& fixture_;
  InvariantChecker checker_;
  std::unique_ptr<ConnectionHandler> handler_;
  std::deque<SharedPayload> outgoing_;
  std::vector<std::string> heard_;
  bool ended_ = false;
};

std::unique_ptr<TestConnection> sender(HubFixture& fixture, Stream::Kind kind);
std::unique_ptr<TestConnection> viewer(HubFixture& fixture, const std::string& channel,
                                       std::optional<ChannelPosition> after = std::nullopt);

}  // namespace surtitle
