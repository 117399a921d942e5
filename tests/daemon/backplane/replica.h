// Replicas that share a real Redis, and helpers that send to them and to it.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/daemon/backplane/service_process.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {

// One replica, which can be killed and started again with its journal and its port.
class Replica {
 public:
  explicit Replica(const RedisProcess& redis, std::vector<std::string> flags = {})
      : flags_(std::move(flags)) {
    flags_.insert(flags_.end(),
                  {"--backplane-url", redis.url(), "--journal-path", state_.journal()});
    start();
    flags_.insert(flags_.end(), {"--port", std::to_string(port_)});
    until("the backplane is available");
  }

  int port() const { return port_; }
  std::string journal() const { return state_.journal(); }
  void signal(int number) const { daemon_->signal(number); }
  void kill() {
    daemon_->signal(SIGKILL);
    daemon_->wait();
    daemon_.reset();
  }
  // Ends it with SIGTERM; returns its log.
  std::string end() {
    daemon_->signal(SIGTERM);
    std::string log = daemon_->wait().err;
    daemon_.reset();
    return log;
  }
  void start() {
    daemon_ = std::make_unique<DaemonProcess>(flags_);
    port_ = daemon_->port();
  }
  std::string readyz() const { return ask_http(port_, "GET /readyz HTTP/1.1").body; }
  void until(const std::string& state) const {
    while (readyz().find(state) == std::string::npos) {
    }
  }
  double metric(const std::string& series) const { return surtitle::metric(port_, series); }
  // The number of streams that it has adopted from others.
  double taken() const { return metric("surtitle_backplane_streams_adopted_total"); }
  std::string transcript(const std::string& channel) const {
    return ask_http(port_, "GET /v1/channels/" + channel + "/transcript.txt HTTP/1.1").body;
  }

 private:
  StateFolder state_;
  std::vector<std::string> flags_;
  std::unique_ptr<DaemonProcess> daemon_;
  int port_ = 0;
};

inline Begun begin(const Replica& replica, const protocol::Start& start) {
  return begin_stream(replica.port(), start);
}

inline TestClient come_back(const Replica& replica, const protocol::Resume& resume) {
  return come_back(replica.port(), resume);
}

// Returns to a stream as a client does that is asked to retry.
inline TestClient come_back_with_retries(const Replica& replica, const protocol::Resume& resume,
                                         boost::json::object& ready) {
  while (true) {
    TestClient client = come_back(replica, resume);
    if (const auto answer = client.read()) {
      EXPECT_EQ(type_of(*answer), "ready") << boost::json::serialize(*answer);
      ready = *answer;
      return client;
    }
    EXPECT_EQ(client.close_code(), 1013);
  }
}

inline TestClient watch(const Replica& replica, const std::string& query = "") {
  TestClient viewer(replica.port(), "/v1/channels/main" + query);
  return viewer;
}

// Returns a field of the next message of this type.
inline std::string next(TestClient& client, const std::string& type, const std::string& field) {
  return text_of(client.read_until(type), field);
}

// Sends a sentence on a stream and waits for its translation, like a sender that remembers in
// `resume` how far it is.
inline std::string say(TestClient& client, protocol::Resume& resume, const std::string& sentence) {
  send(client, protocol::Source{++resume.seq, sentence, {}});
  const boost::json::object translated = client.read_until("sentence");
  resume.event = translated.at("event").as_int64();
  return text_of(translated, "target");
}

// Starts a stream on a channel whose sender was cut off at another replica. Retries until that
// replica has noticed the cut.
inline TestClient begin_in_the_place(const Replica& replica, const std::string& channel) {
  while (true) {
    TestClient client(replica.port(), "/v1/stream");
    send(client, start_message(channel));
    const auto answer = client.read();
    if (answer && type_of(*answer) == "ready") {
      return client;
    }
  }
}

// Returns the output of redis-cli without the last line's end. A shell reads `command`.
inline std::string redis_cli(const RedisProcess& redis, const std::string& command) {
  const std::string line = "redis-cli -p " + std::to_string(redis.port()) + " -n 3 " + command;
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) {
    throw std::runtime_error("cannot run " + line);
  }
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    text.push_back(static_cast<char>(c));
  }
  if (pclose(pipe) != 0) {
    throw std::runtime_error(line + " failed");
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

// Returns the replica that owns a stream.
inline std::string owner_of(const RedisProcess& redis, const std::string& stream) {
  return redis_cli(redis, "HGET surtitle:owner:" + stream + " replica");
}

}  // namespace surtitle
