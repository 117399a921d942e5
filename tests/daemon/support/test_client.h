// A WebSocket client and plain HTTP for the daemon's tests, blocking. Every message that comes in
// is held against the AsyncAPI document.
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
  // "/v1/stream" or "/v1/channels/NAME". Throws std::runtime_error where the upgrade is refused.
  TestClient(int port, const std::string& path);
  // Receives into a kernel buffer as small as it gets, for tests that do not read.
  struct SmallBuffer {};
  TestClient(int port, const std::string& path, SmallBuffer small);
  TestClient(TestClient&& other) noexcept;
  ~TestClient();

  // The subprotocol that the server chose.
  const std::string& subprotocol() const noexcept;

  // Throw std::runtime_error once the connection is gone.
  void send(std::string_view text);
  void send_binary(std::string_view bytes);

  // The next message, or nothing once the server has closed.
  std::optional<boost::json::object> read();
  // The next message of this type; what comes before it is dropped. Throws where the connection
  // ends first.
  boost::json::object read_until(std::string_view type);
  // All that is left to come.
  std::vector<boost::json::object> read_to_end();

  // The server's close code after the end; 0 where it closed without one.
  int close_code() const;

  // Closes from this side.
  void close();
  // Likewise, without a word; from any thread.
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

// Sends the lines of a request ("GET / HTTP/1.1" and headers) with Host and its body, and reads the
// answer.
HttpAnswer ask_http(int port, const std::string& request_line, const std::string& headers = "",
                    const std::string& body = "");

// Sends bytes to a fresh connection; returns all that comes back until the peer closes it.
std::string raw(int port, std::string_view bytes);

}  // namespace surtitle
