// A viewer that keeps its channel: when it loses its connection or the daemon ends, it connects
// again and continues after its last event. It keeps all that it receives.
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
  // `port` is called at every attempt; it returns 0 while no daemon runs.
  SteadyViewer(std::function<int()> port, std::string channel)
      : port_(std::move(port)), channel_(std::move(channel)) {}

  // `received` counts each received event from now on, and outlives this.
  void tell(Progress& received) { told_ = &received; }

  // Connects for the first time, before a stream starts.
  void begin();
  // Returns once a stream of this many sentences is received and its sender has left. A viewer that
  // was away receives the sentences before the notice that the sender has left. Throws
  // std::logic_error if it cannot continue.
  void run(std::size_t sentences);
  // Makes run() return, because no more is to be received; from any thread.
  void give_up();

  const ReceivedMessages& received() const { return received_.at(0); }
  int resumed() const { return resumed_; }
  // Whether it has a stream that it can continue, or has given up; from any thread.
  bool has_received() const { return has_received_; }

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
  bool spoken_ = false;     // a sender is connected
  bool came_late_ = false;  // the connection began in the middle of a stream
  std::vector<ReceivedMessages> received_;
  std::size_t sentences_ = 0;
  int resumed_ = 0;
  Progress* told_ = nullptr;
  std::atomic<bool> has_received_{false};

  std::mutex mutex_;
  TestClient* connection_ = nullptr;  // the one that follow() reads, guarded by mutex_
  std::atomic<bool> given_up_{false};
};

}  // namespace surtitle
