// Accepts connections on one address, or on the sockets of a service manager.
//
// Each connection is served by a coroutine of its own. Beyond the limit of connections, a few more
// are sent an error, and the rest are closed at once. Those few may be probes, which are answered:
// if probes failed, a proxy or Kubernetes would cut all streams of the daemon.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/log_throttle.h"
#include "daemon/http/http_context.h"
#include "daemon/net/beast.h"
#include "daemon/systemd/inherited_sockets.h"

namespace surtitle {

struct ListenerOptions {
  std::string address = "127.0.0.1";
  int port = 8765;                         // 0: any free port
  int connections = 2048;                  // at the same time, HTTP included
  std::vector<InheritedSocket> inherited;  // used in place of address and port, unless empty
};

class Listener {
 public:
  // Opens the port. Throws std::runtime_error with the address and the reason.
  Listener(asio::io_context& io, ListenerOptions options, const HttpContext& context);

  // Returns the URLs by which clients reach the daemon, such as "http://127.0.0.1:8765/", with the
  // actual port. A socket on all addresses of the machine has one for each. Under TLS, URLs with
  // names of allowed_hosts are the first, because certificates have names.
  std::vector<std::string> urls() const;
  // As urls(), without those of the loopback, which other machines cannot reach.
  std::vector<std::string> urls_for_others() const;

  // Accepts connections until the io_context stops. A failed accept is logged and retried.
  void start();

  // Stops accepting from inherited sockets, where new connections wait for the next daemon. A port
  // that the daemon opened itself stays open: its clients are sent the error `draining`.
  void stop_accepting_inherited();

 private:
  void open_port();
  void adopt(const InheritedSocket& socket);
  std::vector<std::string> urls(bool with_loopback) const;
  asio::awaitable<void> accept(tcp::acceptor& acceptor);
  void serve(tcp::socket socket);

  asio::io_context& io_;
  const ListenerOptions options_;
  const HttpContext& context_;
  std::vector<tcp::acceptor> acceptors_;  // the coroutines refer to them, so none is added later
  int connections_ = 0;
  int being_refused_ = 0;  // connections beyond the limit, which are sent an error
  LogThrottle no_accept_;
  LogThrottle full_;
};

}  // namespace surtitle
