// Short ways to say things to a daemon in tests.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol.h"
#include "tests/daemon/test_client.h"

namespace surtitle {

inline void send(TestClient& client, const protocol::ClientMessage& message) {
  client.send(protocol::to_json(message));
}

inline protocol::Start start_message(std::optional<std::string> channel = {},
                                     std::optional<std::string> policy = {}) {
  return {"de", "en", {}, std::move(policy), std::move(channel), {}};
}

// A stream that the daemon said ready to.
inline TestClient start_stream(int port, std::optional<std::string> channel = {},
                               std::optional<std::string> policy = {}) {
  TestClient client(port, "/v1/stream");
  send(client, start_message(std::move(channel), std::move(policy)));
  client.read_until("ready");
  return client;
}

inline std::string text_of(const boost::json::object& message, std::string_view field) {
  return std::string(message.at(field).as_string());
}

inline std::string type_of(const boost::json::object& message) { return text_of(message, "type"); }

inline int number_of(const boost::json::object& message, std::string_view field) {
  return static_cast<int>(message.at(field).as_int64());
}

// "bad-json error 4400": the code of the first error, the reason of bye and the close code.
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

// Sends a sentence on a stream and waits until it is translated; returns its translation.
inline std::string translate(TestClient& client, int seq, const std::string& sentence) {
  send(client, protocol::Source{seq, sentence, {}});
  return text_of(client.read_until("sentence"), "target");
}

// The value of a metric's line in /metrics, 0 where there is none.
inline double metric(int port, const std::string& series) {
  const std::string body = "\n" + ask_http(port, "GET /metrics HTTP/1.1").body;
  const std::size_t line = body.find("\n" + series + " ");
  return line == std::string::npos ? 0 : std::stod(body.substr(line + series.size() + 2));
}

}  // namespace surtitle
