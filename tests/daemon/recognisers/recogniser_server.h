// A WebSocket server of a recogniser, on the loopback, for one client at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

class RecogniserServer {
 public:
  RecogniserServer();
  RecogniserServer(const RecogniserServer&) = delete;
  RecogniserServer& operator=(const RecogniserServer&) = delete;
  ~RecogniserServer();

  // Returns "ws://127.0.0.1:PORT".
  std::string url() const;
  // Waits for a client, and returns the target of its request.
  std::string accept();
  // Sends one message.
  void send(std::string_view text);
  struct Message {
    std::string bytes;
    bool binary = false;
  };
  // Waits for the client's next message, and returns nullopt once it has closed the connection.
  std::optional<Message> receive();
  // Closes the connection with a close frame.
  void close(int code = 1000);
  // Closes the connection without a close frame.
  void cut();

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace surtitle
