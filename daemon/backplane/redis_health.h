// The health of Redis, which the parts of the backplane share: whether it answers, and whether it
// has all entries of this replica.
//
// Thread-safety: full.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/backplane/redis_url.h"
#include "daemon/base/clock.h"
#include "daemon/telemetry/daemon_metrics.h"

namespace surtitle {

struct BackplaneOptions {
  RedisUrl url;
  std::string replica;                        // its identity, which is stored in its journal
  std::string journal_location = {};          // of its journal; one word
  std::chrono::milliseconds timeout{250};     // of a request to Redis
  std::chrono::milliseconds heartbeat{1000};  // between two, and between attempts to reach Redis
  std::chrono::milliseconds heartbeat_ttl{5000};  // a replica without a heartbeat is dead after it
  std::chrono::milliseconds retention{86'400'000};  // of a stream in Redis, after its last write
  // Streams that have ended are sent again to a Redis that has lost them.
  std::chrono::milliseconds ended_retention{60'000};
};

class RedisHealth {
 public:
  RedisHealth(BackplaneOptions options, DaemonMetrics& metrics);
  RedisHealth(const RedisHealth&) = delete;
  RedisHealth& operator=(const RedisHealth&) = delete;

  const BackplaneOptions& options() const noexcept { return options_; }
  DaemonMetrics& metrics() noexcept { return metrics_; }

  bool up() const noexcept { return up_; }
  // Whether Redis has been available for the lifetime of a heartbeat. Then each live replica has
  // published one, and sent what Redis had lost.
  bool membership_stable() const noexcept;
  // How often Redis became available, for clients with an older connection.
  int connect_count() const noexcept { return connect_count_; }
  // A change is logged. `why`: one line.
  void set_available();
  void set_unavailable(const std::string& why);

  // Whether Redis has every entry that counts as stored here, except those of lagging_streams().
  // False until Redis was asked.
  bool caught_up() const noexcept { return caught_up_; }
  std::vector<std::string> lagging_streams() const;
  void set_caught_up(bool caught_up, std::vector<std::string> lagging_streams = {});

 private:
  const BackplaneOptions options_;
  DaemonMetrics& metrics_;
  std::atomic<bool> up_{false};
  std::atomic<TimePoint> up_since_{TimePoint()};
  std::atomic<int> connect_count_{0};
  std::atomic<bool> caught_up_{false};
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool outage_logged_ = false;
  std::vector<std::string> lagging_streams_;
};

}  // namespace surtitle
