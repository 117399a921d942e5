// The health of Redis, which all parts of the backplane share.
//
// It answers two questions: is Redis available, and does it have all entries of this replica?
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "daemon/backplane/backplane_options.h"
#include "daemon/base/clock.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "model/util/mutex.h"

namespace surtitle {

class RedisHealth {
 public:
  RedisHealth(BackplaneOptions options, DaemonMetrics& metrics);
  RedisHealth(const RedisHealth&) = delete;
  RedisHealth& operator=(const RedisHealth&) = delete;

  const BackplaneOptions& options() const noexcept { return options_; }
  DaemonMetrics& metrics() noexcept { return metrics_; }

  bool available() const noexcept { return available_; }
  // Returns true if Redis has been available for the lifetime of a heartbeat. By then every live
  // replica has published a heartbeat, and has sent the entries that Redis had lost.
  bool membership_stable() const noexcept;
  // Returns true if Redis became available again within the lifetime of a heartbeat. Other replicas
  // may not have sent it their output of the outage yet.
  bool just_returned() const noexcept { return connect_count_ > 1 && !membership_stable(); }
  // How often Redis became available. A client whose connection is from before a change reconnects.
  int connect_count() const noexcept { return connect_count_; }
  // Changes are logged. `why`: one line.
  void set_available();
  void set_unavailable(const std::string& why);

  // Returns true if Redis has every entry that counts as stored here, except those of
  // lagging_streams(). False until Redis has sent its offsets.
  bool caught_up() const noexcept { return caught_up_; }
  std::vector<std::string> lagging_streams() const;
  void set_caught_up(bool caught_up, std::vector<std::string> lagging_streams = {});

 private:
  const BackplaneOptions options_;
  DaemonMetrics& metrics_;
  std::atomic<bool> available_{false};
  std::atomic<TimePoint> available_since_{TimePoint()};
  std::atomic<int> connect_count_{0};
  std::atomic<bool> caught_up_{false};
  mutable Mutex mutex_;
  bool outage_logged_ GUARDED_BY(mutex_) = false;
  std::vector<std::string> lagging_streams_ GUARDED_BY(mutex_);
};

}  // namespace surtitle
