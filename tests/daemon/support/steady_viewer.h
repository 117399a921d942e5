// A viewer that does not lose its channel: where its connection or the daemon goes, it comes back
// and goes on after what it has. All that it hears is kept.
#pragma once

#include <atomic>
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/daemon/support/progress.h"
#include "tests/daemon/support/steady_sender.h"
#include "tests/daemon/support/test_client.h"

namespace surtitle {

class SteadyViewer {
 public:
  // `port` is asked at every attempt: 0 while there is no daemon.
  SteadyViewer(std::function<int()> port, std::string channel)
      : port_(std::move(port)), channel_(std::move(channel)) {}

  // Told of each event that it hears; outlives this.
  void tell(Progress& heard) { told_ = &heard; }

  // Connects for the first time, before anybody speaks.
  void begin();
  // Until a stream of so many sentences is heard and its sender has gone: who was away is told the
  // one before the other. Throws std::logic_error where it cannot go on.
  void run(std::size_t sentences);
  // There is nothing more to hear, and run() returns; from any thread.
  void give_up();

  const Heard& heard() const { return heard_.at(0); }
  int resumed() const { return resumed_; }
  // Whether it knows a stream that it can go on with, or has given up; from any thread.
  bool has_heard() const { return has_heard_; }

 private:
  class Followed;
  TestClient connect() const;
  bool follow(TestClient& client);
  void begin_stream(const std::string& name);
  void on_message(const boost::json::object& message);

  const std::function<int()> port_;
  const std::string channel_;
  std::optional<TestClient> first_;
  std::string stream_;  // empty: none yet
  std::int64_t event_ = 0;
  bool spoken_ = false;     // its sender is there
  bool came_late_ = false;  // the connection began in the midst of a stream
  std::vector<Heard> heard_;
  std::size_t sentences_ = 0;
  int resumed_ = 0;
  Progress* told_ = nullptr;
  std::atomic<bool> has_heard_{false};

  std::mutex mutex_;
  TestClient* connection_ = nullptr;  // that is followed, guarded by mutex_
  std::atomic<bool> given_up_{false};
};

}  // namespace surtitle
