// A sender that does not lose its stream: it says its words, and where its connection or the daemon
// goes, comes back and goes on. All that it hears is kept by its number.
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

// What was said of a stream for good, by event; "the same event twice" and the like in `faults`.
class Heard {
 public:
  void take(const boost::json::object& message);
  void fault(std::string what) { faults_.push_back(std::move(what)); }

  std::int64_t last_event() const { return messages_.empty() ? 0 : messages_.rbegin()->first; }
  // Of a track, "" the first, by sentence: the joined writes.
  std::map<int, std::string> written(const std::string& track = "") const;
  // Likewise: the translation as its `sentence` has it.
  std::map<int, std::string> finished(const std::string& track = "") const;
  std::string source() const;  // all of it, joined by spaces
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  // By sentence: this field of a track's messages of this type, joined.
  std::map<int, std::string> texts(const std::string& type, const std::string& field,
                                   const std::string& track) const;

  std::map<std::int64_t, boost::json::object> messages_;
  std::vector<std::string> faults_;
};

class SteadySender {
 public:
  // `port` is asked at every attempt: 0 while there is no daemon.
  SteadySender(std::function<int()> port, protocol::Start start)
      : port_(std::move(port)), start_(std::move(start)) {}

  // From now on it loses its connection with this chance at every message: every other time so that
  // the daemon hears nothing of it.
  void wander(double chance, unsigned seed) {
    chance_ = chance;
    random_.seed(seed);
  }

  // Told of each connection on which it has begun or goes on; outlives this.
  void tell(Progress& begun) { begun_ = &begun; }

  // Says the texts, one message each, and finish, and hears all there is, however often it takes.
  void run(const std::vector<std::string>& texts);

  const Heard& heard() const { return heard_; }
  int resumed() const { return resumed_; }
  std::int64_t acknowledged() const { return acknowledged_; }

 private:
  bool attempt(const std::vector<std::string>& texts);
  void on_message(const boost::json::object& message);
  void check_return(const boost::json::object& ready);
  bool lose(TestClient& client);

  const std::function<int()> port_;
  protocol::Start start_;
  Heard heard_;
  std::int64_t acknowledged_ = 0;
  int resumed_ = 0;
  Progress* begun_ = nullptr;

  double chance_ = 0;
  std::mt19937 random_;
  std::vector<TestClient> half_open_;  // left as they were
};

}  // namespace surtitle
