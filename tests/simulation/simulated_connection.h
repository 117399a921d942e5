// A connection without a socket. Messages arrive in order, after a while. They are not read while
// their reader may not read or stands still, and they are lost with the connection. The daemon's
// end behaves like WebsocketSession; the client's end is a Client.
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
  // The callbacks of the client.
  struct Client {
    std::function<void(std::string_view)> received;  // a message has arrived
    std::function<void()> lost;                      // called once, and nothing afterwards
  };
  // Called with each message of the daemon at the moment when it is sent.
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
  // The client reads nothing for a while.
  void stand_still(Clock::duration time);
  // The network loses the connection; each end notices after a time of its own.
  void cut(Clock::duration daemon_notices, Clock::duration client_notices);
  // The client is not called any more.
  void detach_client() { client_ = {}; }

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

  // Messages that have arrived; nullopt is the close.
  std::deque<std::optional<std::string>> incoming_;
  bool reading_ = false;
  std::optional<TimePoint> watched_;

  bool ended_ = false;        // the daemon sends nothing more
  bool severed_ = false;      // nothing is transferred any more
  bool told_closed_ = false;  // the handler was notified
  bool told_lost_ = false;    // the client was notified
};

}  // namespace surtitle
