// A sender that keeps its stream: when it loses its connection or the daemon ends, it connects
// again and resumes. It keeps all that it receives, by event.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "tests/daemon/support/progress.h"
#include "tests/daemon/support/test_client.h"

namespace surtitle {

// The final messages of a stream by event, and the faults in them, such as an event that came
// twice.
class ReceivedMessages {
 public:
  void add(const boost::json::object& message);
  void fault(std::string what) { faults_.push_back(std::move(what)); }

  std::int64_t last_event() const { return messages_.empty() ? 0 : messages_.rbegin()->first; }
  // Returns the joined writes of a track by sentence; "" is the first track.
  std::map<int, std::string> written(const std::string& track = "") const;
  // Returns the translation of each sentence as its `sentence` has it.
  std::map<int, std::string> finished(const std::string& track = "") const;
  std::string source() const;  // the whole source, joined by spaces
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  // Returns this field of a track's messages of this type, joined, by sentence.
  std::map<int, std::string> texts(const std::string& type, const std::string& field,
                                   const std::string& track) const;

  std::map<std::int64_t, boost::json::object> messages_;
  std::vector<std::string> faults_;
};

class SteadySender {
 public:
  // `port` is called at every attempt; it returns 0 while no daemon runs.
  SteadySender(std::function<int()> port, protocol::Start start)
      : port_(std::move(port)), start_(std::move(start)) {}

  // From now on it loses its connection after each message with this probability. Every second
  // time, on average, the connection stays open, and the daemon does not notice the loss.
  void wander(double chance, unsigned seed) {
    chance_ = chance;
    random_.seed(seed);
  }

  // `begun` counts each connection on which the stream starts or resumes, and outlives this.
  void tell(Progress& begun) { begun_ = &begun; }

  // Sends the texts, one message each, and `finish`, and reads to the end of the stream, on as many
  // connections as that takes.
  void run(const std::vector<std::string>& texts);

  const ReceivedMessages& received() const { return received_; }
  int resumed() const { return resumed_; }
  std::int64_t acknowledged() const { return acknowledged_; }

 private:
  bool attempt(const std::vector<std::string>& texts);
  void on_message(const boost::json::object& message);
  void check_return(const boost::json::object& ready);
  bool lose(TestClient& client);

  const std::function<int()> port_;
  protocol::Start start_;
  ReceivedMessages received_;
  std::int64_t acknowledged_ = 0;
  int resumed_ = 0;
  Progress* begun_ = nullptr;

  double chance_ = 0;
  std::mt19937 random_;
  std::vector<TestClient> half_open_;  // lost connections that stay open
};

}  // namespace surtitle
