// A blocking WebSocket client and plain HTTP, for tests of the daemon. Each message that it
// receives is checked against the AsyncAPI document.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class TestClient {
 public:
  // Connects to "/v1/stream", "/v1/channels/NAME", "/v1/alignatt" or "/". Throws std::runtime_error
  // if the upgrade is refused.
  TestClient(int port, const std::string& path);
  // With the smallest possible buffer of the kernel for received data, for tests that do not read.
  struct SmallBuffer {};
  TestClient(int port, const std::string& path, SmallBuffer small);
  TestClient(TestClient&& other) noexcept;
  ~TestClient();

  // The subprotocol that the server selected.
  const std::string& subprotocol() const noexcept;

  // Throw std::runtime_error once the connection is lost.
  void send(std::string_view text);
  void send_binary(std::string_view bytes);

  // Returns the next message, or nullopt once the server has closed the connection.
  std::optional<boost::json::object> read();
  // Returns the next message of this type and drops the messages before it. Throws if the
  // connection ends first.
  boost::json::object read_until(std::string_view type);
  // Returns all further messages, up to the end of the connection.
  std::vector<boost::json::object> read_to_end();

  // The server's close code after the end; 0 if it closed without one.
  int close_code() const;

  // Closes the connection from this side.
  void close();
  // Ends the connection without a close frame; from any thread.
  void cut();

 private:
  struct Socket;
  std::unique_ptr<Socket> socket_;
};

struct HttpAnswer {
  int status = 0;
  std::string headers;
  std::string body;
};

// Sends a request of these lines ("GET / HTTP/1.1" and headers), with Host and a body, and returns
// the answer.
HttpAnswer ask_http(int port, const std::string& request_line, const std::string& headers = "",
                    const std::string& body = "");

// Sends bytes on a new connection. Returns all bytes that arrive until the peer closes it.
std::string raw(int port, std::string_view bytes);

}  // namespace surtitle
