// Takes connections on one address and hands each to a coroutine of its own.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <string>

#include "daemon/beast.h"
#include "daemon/http_session.h"
#include "daemon/rare_warning.h"

namespace surtitle {

struct ListenerOptions {
  std::string address = "127.0.0.1";
  int port = 8765;         // 0: any that is free
  int connections = 2048;  // at the same time, HTTP included; beyond, closed at once
};

class Listener {
 public:
  // Opens the port. Throws std::runtime_error, one line with the address and what is wrong.
  Listener(asio::io_context& io, ListenerOptions options, const HttpContext& context);

  // "http://127.0.0.1:8765/", with the port that was found.
  std::string url(const std::string& scheme) const;

  // Runs until the io_context stops. An accept that fails is logged, not fatal.
  asio::awaitable<void> accept();

 private:
  void serve(tcp::socket socket);

  asio::io_context& io_;
  const ListenerOptions options_;
  const HttpContext& context_;
  tcp::acceptor acceptor_;
  int connections_ = 0;
  RareWarning no_accept_;
  RareWarning full_;
};

}  // namespace surtitle
