// A recogniser's WebSocket server, on the loopback, for one client after the other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace surtitle {

class RecogniserServer {
 public:
  RecogniserServer();
  RecogniserServer(const RecogniserServer&) = delete;
  RecogniserServer& operator=(const RecogniserServer&) = delete;
  ~RecogniserServer();

  // "ws://127.0.0.1:PORT"
  std::string url() const;
  // Waits for the client; its request's target.
  std::string accept();
  // One message each.
  void send(std::string_view text);
  // Closes in order.
  void close();
  // Cuts the connection.
  void cut();

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace surtitle
