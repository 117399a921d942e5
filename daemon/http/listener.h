// Takes connections on one address, or on the sockets that a service manager handed over, and hands
// each to a coroutine of its own. Where as many as there may be are there, a few more are told so
// and closed, and hear how the daemon is where that is what they ask: to a probe that is not
// answered the daemon is dead, and a proxy or Kubernetes cuts all its streams. The rest are closed
// at once.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/log_throttle.h"
#include "daemon/http/http_session.h"
#include "daemon/net/beast.h"
#include "daemon/systemd/inherited_sockets.h"

namespace surtitle {

struct ListenerOptions {
  std::string address = "127.0.0.1";
  int port = 8765;                         // 0: any that is free
  int connections = 2048;                  // at the same time, HTTP included; beyond, only told so
  std::vector<InheritedSocket> inherited;  // where there are any, in place of address and port
};

class Listener {
 public:
  // Opens the port. Throws std::runtime_error, one line with the address and what is wrong.
  Listener(asio::io_context& io, ListenerOptions options, const HttpContext& context);

  // "http://127.0.0.1:8765/", with the port that was found; of several sockets the first.
  std::string url(const std::string& scheme) const;

  // Takes connections until the io_context stops. An accept that fails is logged, not fatal.
  void start();

  // Stops accepting from inherited sockets: new connections wait there for the next daemon. On a
  // port of this daemon's own, they are still sent the error that it is draining.
  void stop_accepting_inherited();

 private:
  void open_port();
  void adopt(const InheritedSocket& socket);
  asio::awaitable<void> accept(tcp::acceptor& acceptor);
  void serve(tcp::socket socket);

  asio::io_context& io_;
  const ListenerOptions options_;
  const HttpContext& context_;
  std::vector<tcp::acceptor> acceptors_;  // stays as the constructor leaves it
  int connections_ = 0;
  int being_refused_ = 0;  // connections beyond the limit, which are sent an error
  LogThrottle no_accept_;
  LogThrottle full_;
};

}  // namespace surtitle
