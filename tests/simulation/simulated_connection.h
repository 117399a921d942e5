// A connection without a socket: what each end says comes to the other in order after a while, is
// not read while its reader wants nothing or stands still, and is lost with the connection. The
// daemon's end is as WebsocketSession, the client's a Client.
//
// Thread-safety: none.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/channels/connection.h"
#include "daemon/channels/outgoing_queue.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

struct Network {
  Span pace;  // of one message
  int outgoing_messages = 1000;
  int outgoing_bytes = 1 << 20;
};

class SimulatedConnection : public Connection,
                            public std::enable_shared_from_this<SimulatedConnection> {
 public:
  // The client's ears.
  struct Client {
    std::function<void(std::string_view)> heard;
    std::function<void()> lost;  // once; nothing is heard afterwards
  };
  // Told what the daemon says at the moment when it does.
  using Witness = std::function<void(std::string_view)>;

  SimulatedConnection(Simulation& simulation, const Network& network, Client client,
                      Witness witness);

  // --- the daemon's process ---
  void open(std::unique_ptr<ConnectionHandler> handler);
  // The client notices after a while.
  void process_died();
  bool over() const noexcept { return handler_ == nullptr; }

  // --- the client ---
  void say(std::string text);
  void close();  // on purpose
  // It reads nothing for a while.
  void stand_still(Clock::duration time);
  // The network loses it; each end notices after a while of its own.
  void cut(Clock::duration daemon_notices, Clock::duration client_notices);
  // It hears nothing more, and cares no more.
  void forget() { client_ = {}; }

  // --- Connection ---
  void send(OutgoingText message) override;
  void end(std::uint16_t close_code) override;
  void wake() override;
  PeerCloseProbe peer_close_probe() override;

 private:
  void event(Clock::duration delay, std::function<void()> event);
  void write();
  void written(const OutgoingText& message);
  void read();
  void read_one();
  void watch();
  void passed(TimePoint deadline);
  bool may_read() const;
  bool send_snapshot();
  void tell_closed(bool on_purpose);
  void tell_lost();

  Simulation& simulation_;
  Rng rng_;
  const Network network_;
  Client client_;
  const Witness witness_;
  Lane to_client_;
  Lane to_daemon_;
  std::unique_ptr<ConnectionHandler> handler_;  // nullptr before open() and once it is over

  OutgoingQueue outgoing_;
  bool writing_ = false;
  bool catching_up_ = false;
  TimePoint still_until_;

  // What has come: a message, or nothing for the close.
  std::deque<std::optional<std::string>> incoming_;
  bool reading_ = false;
  std::optional<TimePoint> watched_;

  bool ended_ = false;        // the daemon says nothing more
  bool severed_ = false;      // nothing passes
  bool told_closed_ = false;  // the handler
  bool told_lost_ = false;    // the client
};

}  // namespace surtitle
