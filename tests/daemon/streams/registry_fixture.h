// The streams of a daemon without sockets, for tests in which memory runs out. The test is its
// network thread and moves its clock. Its models are scripted, its journal is in memory, and its
// clients are objects of the test. Rounds of the batching loop and of the journal run in between.
// tests/failing_allocations.h lists the parts whose memory may run out.
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
#include "daemon/streams/stream.h"
#include "daemon/streams/stream_registry.h"
#include "daemon/streams/viewer.h"
#include "tests/simulation/invariant_checker.h"
#include "tests/simulation/simulated_disk.h"

namespace surtitle {

// An environment whose workers run when the test calls work().
class TestMachine : public Environment {
 public:
  TimePoint now() const override { return simulation.now(); }
  CalendarTime calendar_time() const override { return simulation.calendar_time(); }
  std::string random_bytes(std::size_t count) override { return simulation.random_bytes(count); }
  std::unique_ptr<Worker> start(Task work) override;

  // Runs one round of all work that is due. Returns false if none is.
  bool work();
  // Whether some work had too little memory, and is due again soon.
  bool short_of_memory() const;
  void let_pass(Clock::duration time);

  Simulation simulation{1};  // its clock, its calendar and its random numbers

 private:
  class Hand;

  std::vector<Hand*> hands_;
};

class RegistryFixture {
 public:
  enum class With { kNothing, kJournal };
  explicit RegistryFixture(With with);

  StreamRegistry& streams() { return *streams_; }
  // Ends the registry and starts another one, which continues from the journal. REQUIRES: no client
  // is connected.
  void restart();
  int open_sentences() const noexcept { return open_sentences_; }  // in the model

  // Runs until no work is left. No work may throw, as that would end the daemon. The clock advances
  // for work that had too little memory and is retried.
  void run();
  // Advances the clock; streams without a connection notice it.
  void pass(Clock::duration time);

  // Faults that checkers found, such as a message that was sent before the journal had it.
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
  std::unique_ptr<ServerContext> server_;
  std::unique_ptr<StreamRegistry> streams_;
};

// A connection without a socket, with its handler, which it calls as WebsocketSession does.
class TestConnection : public Connection {
 public:
  // Opens the connection. `asked`: the stream that a returning viewer continues.
  TestConnection(RegistryFixture& fixture, std::unique_ptr<ConnectionHandler> handler,
                 std::string asked = {});
  ~TestConnection() override { leave(/*on_purpose=*/false); }

  void say(std::string_view text);
  // Closes the connection, or loses it without a close frame.
  void leave(bool on_purpose);
  // Whether the daemon has ended it.
  bool ended() const noexcept { return ended_; }

  // Returns the messages that arrived since the last call.
  std::vector<std::string> received() { return std::exchange(received_, {}); }

  // --- Connection ---
  void send(OutgoingText message) override;
  void end(std::uint16_t close_code) override;
  void wake() override {}
  PeerCloseProbe peer_close_probe() override;

 private:
  void attempt(const std::function<void()>& call);

  RegistryFixture& fixture_;
  InvariantChecker checker_;
  std::unique_ptr<ConnectionHandler> handler_;
  std::deque<SharedPayload> outgoing_;
  std::vector<std::string> received_;
  bool ended_ = false;
};

std::unique_ptr<TestConnection> sender(RegistryFixture& fixture, Stream::Kind kind);
std::unique_ptr<TestConnection> viewer(RegistryFixture& fixture, const std::string& channel,
                                       std::optional<ChannelPosition> after = std::nullopt);

}  // namespace surtitle
