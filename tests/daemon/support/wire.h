// Helpers that send messages and requests to a daemon in tests.
#pragma once

#include <boost/json.hpp>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "tests/daemon/support/test_client.h"

namespace surtitle {

inline void send(TestClient& client, const protocol::ClientMessage& message) {
  client.send(protocol::to_json(message));
}

inline protocol::Start start_message(std::optional<std::string> channel = {},
                                     std::optional<std::string> policy = {}) {
  return {"de", "en", {}, std::move(policy), std::move(channel), {}};
}

inline std::string text_of(const boost::json::object& message, std::string_view field) {
  return std::string(message.at(field).as_string());
}

// Starts a stream and waits for its `ready`.
inline TestClient start_stream(int port, std::optional<std::string> channel = {},
                               std::optional<std::string> policy = {}) {
  TestClient client(port, "/v1/stream");
  send(client, start_message(std::move(channel), std::move(policy)));
  client.read_until("ready");
  return client;
}

// A stream that has started, and how it is resumed.
struct Begun {
  TestClient client;
  protocol::Resume resume;
};

inline Begun begin_stream(int port, const protocol::Start& start = start_message(),
                          const std::string& query = "") {
  TestClient client(port, "/v1/stream" + query);
  send(client, start);
  const boost::json::object ready = client.read_until("ready");
  protocol::Resume resume{text_of(ready, "stream"), text_of(ready.at("resume").as_object(), "key")};
  return {std::move(client), std::move(resume)};
}

inline TestClient come_back(int port, const protocol::Resume& resume) {
  TestClient client(port, "/v1/stream");
  protocol::Start start = start_message();
  start.resume = resume;
  send(client, start);
  return client;
}

// Requests to resume a stream while the daemon is stopped, and leaves before it reads the request.
template <class Daemon>
void ask_and_leave(const Daemon& daemon, const protocol::Resume& resume) {
  {
    TestClient client(daemon.port(), "/v1/stream");
    daemon.signal(SIGSTOP);
    protocol::Start start = start_message();
    start.resume = resume;
    send(client, start);
  }
  daemon.signal(SIGCONT);
}

// The fields of an upgrade after Host.
inline const std::string kUpgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

inline std::string type_of(const boost::json::object& message) { return text_of(message, "type"); }

inline int number_of(const boost::json::object& message, std::string_view field) {
  return static_cast<int>(message.at(field).as_int64());
}

// Returns "bad-json error 4400": the code of the first error, the reason of `bye`, "-" if there is
// none, and the close code.
inline std::string how_it_ends(TestClient& client) {
  std::string error = "-";
  std::string bye = "-";
  for (const boost::json::object& message : client.read_to_end()) {
    if (type_of(message) == "error" && error == "-") {
      error = text_of(message, "code");
    } else if (type_of(message) == "bye") {
      bye = text_of(message, "reason");
    }
  }
  return error + " " + bye + " " + std::to_string(client.close_code());
}

// Sends a sentence on a stream, and returns its translation once it is written.
inline std::string translate(TestClient& client, int seq, const std::string& sentence) {
  send(client, protocol::Source{seq, sentence, {}});
  return text_of(client.read_until("sentence"), "target");
}

// Sends a request with a body in JSON.
inline HttpAnswer ask_json(int port, const std::string& request_line, const std::string& body,
                           const std::string& headers = "") {
  return ask_http(port, request_line,
                  "Content-Type: application/json\r\n" + headers +
                      "Content-Length: " + std::to_string(body.size()) + "\r\n",
                  body);
}

// Returns the value of a metric's line in /metrics, 0 if there is none.
inline double metric(int port, const std::string& series) {
  const std::string body = "\n" + ask_http(port, "GET /metrics HTTP/1.1").body;
  const std::size_t line = body.find("\n" + series + " ");
  return line == std::string::npos ? 0 : std::stod(body.substr(line + series.size() + 2));
}

}  // namespace surtitle
